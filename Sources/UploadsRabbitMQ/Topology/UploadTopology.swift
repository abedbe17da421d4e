public import RabbitMQ
public import Uploads

/// Every object on the broker, with its final arguments, as pure values.
///
/// A queue's arguments cannot be changed once it is declared, so they are part of the contract with every program that
/// shares the namespace: a change of them raises ``version`` and needs a new namespace.
public struct UploadTopology: Hashable, Sendable {
    /// The version of these objects and arguments.
    public static let version = 3

    /// How often a lane delivers a message that is never acknowledged before it becomes a dead letter.
    public static let deliveryLimit = 20
    /// From RabbitMQ 4.0 a quorum queue without a limit has one of 20 and drops messages beyond it; earlier versions
    /// refuse -1 (none). For queues that may drop no message and have no dead-letter queue, this value stands for
    /// "none" in both.
    static let deliveryLimitNone = 1_000_000_000

    /// The prefix of all names.
    public let namespace: String
    /// The shards of the namespace, chosen when its objects are first declared.
    public let shards: Shards

    /// - Throws: `misconfigured` when the namespace is empty, longer than 64 characters or has characters other than
    ///   `a-z 0-9 . _ -`.
    public init(namespace: String, shards: Shards = .one) throws(UploadError) {
        let allowed = namespace.unicodeScalars.allSatisfy { scalar in
            ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) || "._-".unicodeScalars.contains(scalar)
        }
        guard allowed, (1...64).contains(namespace.unicodeScalars.count) else {
            throw UploadError(
                .misconfigured,
                "'\(namespace)' is not a namespace: use 1 to 64 of the characters a-z, 0-9, '.', '_' and '-'")
        }
        self.namespace = namespace
        self.shards = shards
    }

    /// Producers publish here, with the key ``laneKey(_:_:_:)``.
    public var submit: String { "\(namespace).submit" }
    /// Batons on their way to a lane, with the same key.
    public var jobs: String { "\(namespace).jobs" }
    /// The ladder's foot: messages that have waited long enough.
    public var due: String { "\(namespace).due" }
    /// Workers' events, with the key `<kind>.<queue>.<destination>.<digit>`.
    public var events: String { "\(namespace).events" }
    /// The notifier's outcomes, with the same key.
    public var outcomes: String { "\(namespace).outcomes" }
    /// Progress, with the same key.
    public var progress: String { "\(namespace).progress" }
    /// Orders about jobs of several shards: a fanout exchange to the notifiers' queues.
    public var orders: String { "\(namespace).orders" }
    /// The control log: a fanout exchange and its stream.
    public var control: String { "\(namespace).control" }
    /// Dead letters: a fanout exchange and its queue.
    public var dead: String { "\(namespace).dead" }

    /// The routing key of a job on a lane: `<queue>.<lane>.<digit>`, with the last digit of its id.
    public func laneKey(_ queue: QueueName, _ lane: Lane, _ job: JobID) -> String {
        laneKey(queue, lane, digit: job.digitText)
    }

    func laneKey(_ queue: QueueName, _ lane: Lane, digit: String) -> String { "\(queue).\(lane.rawValue).\(digit)" }

    /// The queue behind a lane: `<namespace>.jobs.<queue>.<lane>`.
    public func laneQueue(_ queue: QueueName, _ lane: Lane) -> String { "\(jobs).\(queue).\(lane.rawValue)" }

    /// All objects that a worker or a notifier needs, except the lanes.
    public var shared: Topology {
        foundation + ladder + telling + Topology(bindings: records(of: events)) + controlLog
    }

    /// The objects that a producer needs, in addition to the lanes: one confirm covers the job's lane and its record.
    public var foundation: Topology {
        // The dead-letter queue comes first: at-least-once dead-lettering to a missing target waits for minutes.
        Topology(
            exchanges: [
                Exchange(name: dead, kind: .fanout),
                // A job or baton without a lane goes to the notifier, which issues it when there is one. The broker
                // decides that while it routes the message, so a job that came a moment before its lanes is not missed.
                Exchange(name: jobs, kind: .topic, arguments: ["alternate-exchange": .string(dead)]),
                // In this order, a program that is configured with another number of shards declares nothing but what is there.
                Exchange(name: submit, kind: .topic, arguments: ["alternate-exchange": .string(shardMark)]),
                Exchange(name: shardMark, kind: .fanout),
                Exchange(name: orders, kind: .fanout),
                // An unroutable message would block all at-least-once dead-lettering.
                Exchange(name: due, kind: .topic, arguments: ["alternate-exchange": .string(dead)]),
            ],
            queues: [
                Queue(
                    name: dead,
                    arguments: [
                        "x-queue-type": "quorum", "x-delivery-limit": .int64(Int64(Self.deliveryLimitNone)),
                    ])
            ]
                + notifiers.map { name in
                    Queue(name: name, arguments: working.merging(["x-single-active-consumer": true]) { $1 })
                },
            bindings: [
                Binding(source: dead, destination: .queue(dead)),
                Binding(source: submit, destination: .exchange(jobs), routingKey: "#"),
            ] + records(of: submit) + notifiers.map { Binding(source: orders, destination: .queue($0)) })
    }

    /// The four lanes of a transfer queue, and their bindings from ``jobs`` and ``due``.
    public func lanes(of queue: QueueName) -> Topology {
        Topology(
            queues: Lane.allCases.map { Queue(name: laneQueue(queue, $0), arguments: working) },
            bindings: Lane.allCases.flatMap { lane in
                let name = Binding.Destination.queue(laneQueue(queue, lane))
                // With one shard, a key without a digit arrives in the same queues.
                let key = laneKey(queue, lane, digit: "#")
                return [
                    Binding(source: jobs, destination: name, routingKey: key),
                    Binding(source: due, destination: name, routingKey: Self.anyDelay + key),
                ]
            })
    }

    /// Arguments of a queue of work: a message that kills its consumer too often is set aside, never dropped.
    private var working: Table {
        [
            "x-queue-type": "quorum",
            "x-delivery-limit": .int64(Int64(Self.deliveryLimit)),
            "x-dead-letter-exchange": .string(dead),
            "x-dead-letter-strategy": "at-least-once",
            "x-overflow": "reject-publish",
        ]
    }

    /// The exchanges for events, outcomes and progress.
    var telling: Topology {
        Topology(exchanges: [events, outcomes, progress].map { Exchange(name: $0, kind: .topic) })
    }

    private var controlLog: Topology {
        Topology(
            exchanges: [Exchange(name: control, kind: .fanout)],
            queues: [
                Queue(
                    name: control,
                    arguments: [
                        "x-queue-type": "stream",
                        "x-max-age": "40D",
                        "x-max-length-bytes": .int64(1 << 30),
                        // The broker drops whole segments, so small ones keep the log close to its limits.
                        "x-stream-max-segment-size-bytes": .int64(1 << 20),
                    ])
            ],
            bindings: [Binding(source: control, destination: .queue(control))])
    }
}
