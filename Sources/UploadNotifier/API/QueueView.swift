import Foundation
import Uploads

/// A transfer queue as the API shows it. What only the broker knows is null while it cannot be asked.
struct QueueView: Encodable, Sendable {
    var name: QueueName
    var isStopped: Bool?
    /// Jobs by status.
    var jobs: [String: Int]
    /// Messages that wait, by lane.
    var depth: [String: Int]?
    /// Workers' channels that take from it.
    var consumers: Int?
    var oldestWaiting: Date?
    var bytesLeft: Int64
    /// Of the last ten minutes.
    var completedPerMinute: Double
    var failedPerMinute: Double
    var bytesPerSecond: Double
    /// What destinations keep its jobs waiting, and why.
    var heldUp: [HoldUp]
    /// Until nothing is left, if it goes on like that; null where nothing tells.
    var secondsLeft: Double?

    init(
        _ load: QueueLoad, lanes: [Lane: LaneDepth]?, control: ControlView?, heldUp: [HoldUp] = [],
        window: TimeInterval
    ) {
        self.heldUp = heldUp
        name = load.queue
        isStopped = control.map { $0.stoppedQueues.contains(load.queue) }
        jobs = Dictionary(
            uniqueKeysWithValues: LedgerStatus.allCases.map { ($0.rawValue, load.counts[$0] ?? 0) })
        depth = lanes.map { lanes in
            Dictionary(uniqueKeysWithValues: lanes.map { ($0.key.rawValue, $0.value.messages) })
        }
        // A worker takes from every lane of a queue, each by a channel of its own.
        consumers = lanes.map { $0.values.map(\.consumers).max() ?? 0 }
        oldestWaiting = load.oldestWaiting
        bytesLeft = load.bytesLeft
        let minutes = window / 60
        completedPerMinute = Double(load.throughput.lazy.map(\.completed).sumSaturating()) / minutes
        failedPerMinute = Double(load.throughput.lazy.map(\.failed).sumSaturating()) / minutes
        bytesPerSecond = Double(load.throughput.lazy.map(\.bytes).sumSaturating()) / window
        secondsLeft = load.secondsLeft(window: window)
    }

    private enum Key: String, CodingKey {
        case name, isStopped, jobs, depth, consumers, oldestWaiting, bytesLeft, completedPerMinute, failedPerMinute
        case bytesPerSecond, heldUp, secondsLeft
    }

    /// What is not known is written as null.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try container.encode(isStopped, forKey: .isStopped)
        try container.encode(jobs, forKey: .jobs)
        try container.encode(depth, forKey: .depth)
        try container.encode(consumers, forKey: .consumers)
        try container.encode(oldestWaiting, forKey: .oldestWaiting)
        try container.encode(bytesLeft, forKey: .bytesLeft)
        try container.encode(completedPerMinute, forKey: .completedPerMinute)
        try container.encode(failedPerMinute, forKey: .failedPerMinute)
        try container.encode(bytesPerSecond, forKey: .bytesPerSecond)
        try container.encode(heldUp, forKey: .heldUp)
        try container.encode(secondsLeft, forKey: .secondsLeft)
    }
}
