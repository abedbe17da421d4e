public import Foundation
public import RabbitMQ
public import Uploads

/// The queues of a listener: bounded, dropping the oldest, gone when nobody listens, because a full queue that refuses
/// messages would refuse everybody's events.
extension UploadTopology {
    /// Seconds that a listener may be away before its queues are deleted.
    public static let watchAbsenceMaximum: TimeInterval = 3600

    /// With what the names of all queues begin where answers to orders are waited for.
    var answerPrefix: String { "\(namespace).answer." }

    /// The queue of one who waits for an answer: theirs alone, and gone with them.
    func answerQueue(_ id: UUID) -> Queue {
        Queue(name: answerPrefix + id.uuidString.lowercased(), durable: false, exclusive: true, autoDelete: true)
    }

    func watchQueue(_ id: UUID) -> String { "\(namespace).watch.\(id.uuidString.lowercased())" }
    func watchProgressQueue(_ id: UUID) -> String { "\(watchQueue(id)).progress" }

    /// Outcomes and progress of a transfer queue. Progress has a queue of its own, so that a flood of it cannot push an
    /// outcome out.
    /// - Parameter steps: whether what a job goes through before its end belongs to it.
    public func watch(_ id: UUID, of queue: QueueName, steps: Bool = false) -> Topology {
        let outcomeQueue = watchQueue(id)
        let progressQueue = watchProgressQueue(id)
        let kinds: [EventKind] = steps ? [.completed, .started, .waiting, .paused, .handedOver] : [.completed]
        return Topology(
            queues: [
                Queue(name: outcomeQueue, arguments: Self.listening(messages: 100_000, bytes: 256 << 20)),
                Queue(name: progressQueue, arguments: Self.listening(messages: 1_000, bytes: 8 << 20)),
            ],
            bindings: kinds.map { kind in
                Binding(source: events, destination: .queue(outcomeQueue), routingKey: "\(kind.rawValue).\(queue).#")
            } + [
                Binding(source: outcomes, destination: .queue(outcomeQueue), routingKey: "*.\(queue).#"),
                Binding(source: progress, destination: .queue(progressQueue), routingKey: "progress.\(queue).#"),
            ])
    }

    /// The queue of one who keeps the latest progress of all jobs: theirs alone, and gone with them.
    func progressFeedQueue(_ id: UUID) -> String { "\(namespace).progress.\(id.uuidString.lowercased())" }

    /// The progress of all jobs. What nobody takes in time drops out, the oldest first.
    public func progressFeed(_ id: UUID) -> Topology {
        let name = progressFeedQueue(id)
        return Topology(
            queues: [
                Queue(
                    name: name, durable: false, exclusive: true, autoDelete: true,
                    arguments: [
                        "x-queue-type": "classic", "x-max-length": 5_000, "x-max-length-bytes": .int64(32 << 20),
                        "x-overflow": "drop-head",
                    ])
            ], bindings: [Binding(source: progress, destination: .queue(name), routingKey: "#")])
    }

    private static func listening(messages: Int64, bytes: Int64) -> Table {
        [
            "x-queue-type": "classic",
            "x-expires": .int64(Int64(watchAbsenceMaximum * 1000)),
            "x-max-length": .int64(messages),
            "x-max-length-bytes": .int64(bytes),
            "x-overflow": "drop-head",
        ]
    }
}
