public import Foundation

/// How a delegate stands in the outbox.
public struct DelegateStanding: Hashable, Sendable {
    public var delegate: String
    /// Outcomes that it has not taken yet.
    public var backlog: Int
    /// Since when nothing is delivered to it; nil while it is served.
    public var pausedSince: Date?
    /// Why it is paused.
    public var reason: String?

    public init(delegate: String, backlog: Int, pausedSince: Date? = nil, reason: String? = nil) {
        self.delegate = delegate
        self.backlog = backlog
        self.pausedSince = pausedSince
        self.reason = reason
    }
}
