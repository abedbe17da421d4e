public import Foundation
public import RabbitMQ
public import Uploads

/// The queues of a watch: bounded, dropping the oldest, deleted when no consumer is there. A full queue that refused
/// messages would make the broker refuse the events for all other queues, too.
extension UploadTopology {
    /// Seconds that a watch may be away before its queues are deleted.
    public static let watchAbsenceMaximum: TimeInterval = 3600

    /// The prefix of all queues for answers to orders.
    var answerPrefix: String { "\(namespace).answer." }

    /// The queue for one asker's answer: exclusive, and deleted with its connection.
    func answerQueue(_ id: UUID) -> Queue {
        Queue(name: answerPrefix + id.uuidString.lowercased(), durable: false, exclusive: true, autoDelete: true)
    }

    func watchQueue(_ id: UUID) -> String { "\(namespace).watch.\(id.uuidString.lowercased())" }
    func watchProgressQueue(_ id: UUID) -> String { "\(watchQueue(id)).progress" }

    /// Outcomes and progress of a transfer queue. Progress has a queue of its own, so that a flood of it cannot push an
    /// outcome out.
    /// - Parameters:
    ///   - steps: whether the watch also gets the events before a job's end.
    ///   - pauses: whether it gets, beside the progress, why jobs wait or are paused; in a flood the oldest are lost.
    public func watch(
        _ id: UUID, of queue: QueueName, steps: Bool = false, pauses: Bool = false
    ) -> Topology {
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
            ]
                + (pauses ? [EventKind.waiting, .paused] : []).map { kind in
                    Binding(
                        source: events, destination: .queue(progressQueue), routingKey: "\(kind.rawValue).\(queue).#")
                })
    }

    /// The queue of a program that keeps the latest progress of all jobs: exclusive, and deleted with its connection.
    func progressFeedQueue(_ id: UUID) -> String { "\(namespace).progress.\(id.uuidString.lowercased())" }

    /// The progress of all jobs. If the reader is too slow, the oldest messages drop out first.
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
