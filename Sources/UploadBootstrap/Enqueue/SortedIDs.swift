import Foundation
import Uploads

/// New ids, each greater than the one before: ids of one millisecond are in no order, so they are made in sorted blocks, each of a
/// millisecond of its own.
struct SortedIDs {
    /// Ids that are made at once.
    static let blockCount = 512

    private var block: [JobID] = []
    private var time = Date.distantPast

    mutating func next(now: Date = Date()) -> JobID {
        if block.isEmpty {
            // Ids have whole milliseconds. A clock that was set back changes nothing.
            time = max(now, time + 0.002)
            block = (0..<Self.blockCount).map { _ in JobID(now: time) }.sorted(by: >)
        }
        return block.removeLast()
    }
}
