import Foundation
import Uploads
import UploadsAPI

extension API.Queue {
    /// - Parameters:
    ///   - lanes: nil while the notifier cannot ask the broker.
    ///   - control: nil likewise.
    init(
        _ load: QueueLoad, lanes: [Lane: LaneDepth]?, control: ControlView?, heldUp: [API.HoldUp] = [],
        pace: QueuePace = QueuePace()
    ) {
        let isStopped = control.map { $0.stoppedQueues.contains(load.queue) }
        self.init(
            name: load.queue.rawValue, isStopped: isStopped,
            jobs: load.counts.byWord,
            depth: lanes.map { lanes in
                Dictionary(uniqueKeysWithValues: lanes.map { ($0.key.rawValue, $0.value.messages) })
            },
            // A worker takes from every lane of a queue, each by a channel of its own.
            consumers: lanes.map { $0.values.map(\.consumers).max() ?? 0 }, oldestWaiting: load.oldestWaiting,
            bytesLeft: load.bytesLeft,
            completedPerMinute: pace.completedPerMinute, failedPerMinute: pace.failedPerMinute,
            bytesPerSecond: pace.bytesPerSecond, heldUp: heldUp,
            secondsLeft: isStopped == true ? nil : pace.secondsLeft(of: load))
    }
}

extension [LedgerStatus: Int] {
    /// Jobs by the word of their status; a status without jobs has 0.
    var byWord: [String: Int] {
        [String: Int](uniqueKeysWithValues: LedgerStatus.allCases.map { ($0.rawValue, self[$0] ?? 0) })
    }
}
