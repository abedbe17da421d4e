public import Foundation
public import RabbitMQ
public import Uploads

/// The queues of a listener: bounded, dropping the oldest, gone when nobody listens, because a full queue that refuses
/// messages would refuse everybody's events.
extension UploadTopology {
    /// Seconds that a listener may be away before its queues are deleted.
    public static let watchAbsenceMaximum: TimeInterval = 3600

    func watchQueue(_ id: UUID) -> String { "\(namespace).watch.\(id.uuidString.lowercased())" }
    func watchProgressQueue(_ id: UUID) -> String { "\(watchQueue(id)).progress" }

    /// Outcomes and progress of a transfer queue. Progress has a queue of its own, so that a flood of it cannot push an
    /// outcome out.
    public func watch(_ id: UUID, of queue: QueueName) -> Topology {
        let outcomeQueue = watchQueue(id)
        let progressQueue = watchProgressQueue(id)
        return Topology(
            queues: [
                Queue(name: outcomeQueue, arguments: Self.listening(messages: 100_000, bytes: 256 << 20)),
                Queue(name: progressQueue, arguments: Self.listening(messages: 1_000, bytes: 8 << 20)),
            ],
            bindings: [
                Binding(source: events, destination: .queue(outcomeQueue), routingKey: "completed.\(queue).#"),
                Binding(source: outcomes, destination: .queue(outcomeQueue), routingKey: "*.\(queue).#"),
                Binding(source: progress, destination: .queue(progressQueue), routingKey: "progress.\(queue).#"),
            ])
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
