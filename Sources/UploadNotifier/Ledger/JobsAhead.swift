import Foundation
import Uploads

/// The jobs that came to their status before they were enqueued, by clocks that differ. They are few and have an index of their own, so
/// that a search for the jobs that ended before a time can begin near that time.
enum JobsAhead {
    /// Milliseconds by which the clocks of such a job differ at least: 5 minutes. Another number needs a migration that makes the indexes
    /// anew, and the migrations that were shipped keep this one.
    private static let difference: Int64 = 300_000

    /// The condition that a job is one of them, for both databases. The index has this very expression.
    static let condition = "enqueued > since * 1000 + \(difference)"

    /// All other jobs that ended before a time were enqueued before this one, in milliseconds since 1970.
    static func latest(endedBefore time: Date) -> Int64 { time.milliseconds.addingSaturating(difference + 1) }
}
