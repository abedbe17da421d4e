import Synchronization

/// The warnings about the outbox that were given lately: each pass finds the same unreadable file, but the log gets one
/// warning an hour.
package final class OutboxWarnings: Sendable {
    static let interval = Duration.seconds(3600)

    private let given = Mutex<[String: ContinuousClock.Instant]>([:])

    package init() {}

    /// Whether to warn now. A warning that is due counts as given.
    /// - Parameter subject: the file or job, and its problem.
    func isDue(_ subject: String, at now: ContinuousClock.Instant = .now) -> Bool {
        given.withLock { given in
            // Otherwise warnings about files that are gone would pile up.
            given = given.filter { $0.value + Self.interval > now }
            guard given[subject] == nil else { return false }
            given[subject] = now
            return true
        }
    }
}
