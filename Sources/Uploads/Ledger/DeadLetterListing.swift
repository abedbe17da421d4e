public import Foundation

/// Which dead letters are asked for, the newest first; what is nil matches any.
public struct DeadLetterListing: Hashable, Sendable {
    /// Most that one call answers with, and bytes of each body that come with them: 100, 4 KiB.
    public static let limitMaximum = 100
    public static let bodyBytesMaximum = 4096

    /// Only those with lower ids: the last one of the page before.
    public var before: UnreadableMessage.ID?
    /// Whether they were published again.
    public var isReplayed: Bool?
    /// What the message said that it is: `upload.job.v1` and so on.
    public var type: String?
    /// Part of the reason, in upper or lower case.
    public var reason: String?
    /// Recorded at this time or later.
    public var since: Date?
    /// Recorded before this time.
    public var until: Date?
    /// 1 to ``limitMaximum``.
    public var limit: Int

    public init(
        before: UnreadableMessage.ID? = nil, isReplayed: Bool? = nil, type: String? = nil, reason: String? = nil,
        since: Date? = nil, until: Date? = nil, limit: Int = limitMaximum
    ) {
        self.before = before
        self.isReplayed = isReplayed
        self.type = type
        self.reason = reason
        self.since = since
        self.until = until
        self.limit = limit
    }
}
