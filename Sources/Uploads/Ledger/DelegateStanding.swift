public import Foundation

/// How a delegate stands in the outbox.
public struct DelegateStanding: Hashable, Sendable {
    public var delegate: String
    /// Outcomes that it has not taken yet and that are still tried.
    public var backlog: Int
    /// Outcomes that were given up, kept until they are replayed.
    public var failed: Int
    /// Since when nothing is delivered to it; nil while it is served.
    public var pausedSince: Date?
    /// Why it is paused.
    public var reason: String?
    /// Whether an operator paused it, so that only an operator lets it go on. A restart serves all others again.
    public var isHeld: Bool

    public init(
        delegate: String, backlog: Int, failed: Int = 0, pausedSince: Date? = nil, reason: String? = nil,
        isHeld: Bool = false
    ) {
        self.delegate = delegate
        self.backlog = backlog
        self.failed = failed
        self.pausedSince = pausedSince
        self.reason = reason
        self.isHeld = isHeld
    }
}
