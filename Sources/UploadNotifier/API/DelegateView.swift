import Foundation
import Uploads

/// A delegate as the API shows it: its definition without its secrets, and how it stands.
struct DelegateView: Encodable, Sendable {
    var name: String
    var summary: DelegateSummary
    /// nil for one that was never told anything.
    var status: DelegateStatus?

    init(_ summary: DelegateSummary, _ status: DelegateStatus?) {
        name = summary.name
        self.summary = summary
        self.status = status
    }

    private enum Key: String, CodingKey {
        case backlog, failed, isPaused, isHeld, isServed, pausedSince, reason
    }

    func encode(to encoder: any Encoder) throws {
        try summary.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(status?.backlog ?? 0, forKey: .backlog)
        try container.encode(status?.failed ?? 0, forKey: .failed)
        try container.encode(status?.pausedSince != nil, forKey: .isPaused)
        try container.encode(status?.isHeld ?? false, forKey: .isHeld)
        try container.encode(summary.problem == nil, forKey: .isServed)
        try container.encodeIfPresent(status?.pausedSince, forKey: .pausedSince)
        try container.encodeIfPresent(status?.reason, forKey: .reason)
    }
}
