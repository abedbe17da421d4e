import Foundation
import Uploads
import UploadsAPI

extension API.Queue {
    /// - Parameters:
    ///   - lanes: nil while the notifier cannot ask the broker.
    ///   - control: nil likewise.
    ///   - window: the seconds that the load's throughput covers.
    init(
        _ load: QueueLoad, lanes: [Lane: LaneDepth]?, control: ControlView?, heldUp: [API.HoldUp] = [],
        window: TimeInterval
    ) {
        let minutes = window / 60
        self.init(
            name: load.queue.rawValue, isStopped: control.map { $0.stoppedQueues.contains(load.queue) },
            jobs: load.counts.byWord,
            depth: lanes.map { lanes in
                Dictionary(uniqueKeysWithValues: lanes.map { ($0.key.rawValue, $0.value.messages) })
            },
            // A worker takes from every lane of a queue, each by a channel of its own.
            consumers: lanes.map { $0.values.map(\.consumers).max() ?? 0 }, oldestWaiting: load.oldestWaiting,
            bytesLeft: load.bytesLeft,
            completedPerMinute: Double(load.throughput.lazy.map(\.completed).sumSaturating()) / minutes,
            failedPerMinute: Double(load.throughput.lazy.map(\.failed).sumSaturating()) / minutes,
            bytesPerSecond: Double(load.throughput.lazy.map(\.bytes).sumSaturating()) / window, heldUp: heldUp,
            secondsLeft: load.secondsLeft(window: window))
    }
}

extension [LedgerStatus: Int] {
    /// Jobs by the word of their status; a status without jobs has 0.
    var byWord: [String: Int] {
        [String: Int](uniqueKeysWithValues: LedgerStatus.allCases.map { ($0.rawValue, self[$0] ?? 0) })
    }
}
