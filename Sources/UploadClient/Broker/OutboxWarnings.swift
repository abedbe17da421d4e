import Synchronization

/// Which warnings about the outbox were given lately: a file that cannot be read is found in each pass, and is warned of once an
/// hour.
package final class OutboxWarnings: Sendable {
    static let interval = Duration.seconds(3600)

    private let given = Mutex<[String: ContinuousClock.Instant]>([:])

    package init() {}

    /// Whether to warn now, which counts as done.
    /// - Parameter subject: the file or job, and what is wrong with it.
    func isDue(_ subject: String, at now: ContinuousClock.Instant = .now) -> Bool {
        given.withLock { given in
            // So that those of files that are gone do not pile up.
            given = given.filter { $0.value + Self.interval > now }
            guard given[subject] == nil else { return false }
            given[subject] = now
            return true
        }
    }
}
