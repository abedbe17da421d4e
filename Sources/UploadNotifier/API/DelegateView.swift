import Foundation
import Uploads

/// A delegate as the API shows it: its definition without its secrets, and how it stands.
struct DelegateView: Encodable, Sendable {
    var name: String
    var summary: DelegateSummary
    /// nil for one that was never told anything.
    var standing: DelegateStanding?

    init(_ summary: DelegateSummary, _ standing: DelegateStanding?) {
        name = summary.name
        self.summary = summary
        self.standing = standing
    }

    private enum Key: String, CodingKey {
        case backlog, failed, isPaused, isHeld, isServed, pausedSince, reason
    }

    func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(standing?.backlog ?? 0, forKey: .backlog)
        try container.encode(standing?.failed ?? 0, forKey: .failed)
        try container.encode(standing?.pausedSince != nil, forKey: .isPaused)
        try container.encode(standing?.isHeld ?? false, forKey: .isHeld)
        try container.encode(summary.problem == nil, forKey: .isServed)
        try container.encodeIfPresent(standing?.pausedSince, forKey: .pausedSince)
        try container.encodeIfPresent(standing?.reason, forKey: .reason)
    }
}
