public import Foundation

/// A message that cannot be read, or that the ledger cannot record: kept for an operator.
public struct UnreadableMessage: Hashable, Sendable, Identifiable {
    /// Bytes of a body that are kept: as many as the largest body that any reader takes, for what cannot be recorded is acknowledged, and
    /// the row is all that is left of it.
    public static let bodyBytesMaximum = WireLimits.bodyBytesMaximum
    /// Most bytes of a reason that are kept.
    public static let reasonBytesMaximum = 1000
    /// Most characters of a name that are kept with a replay.
    public static let byCountMaximum = 200

    /// Rises in the order of recording.
    public var id: Int64
    public var at: Date
    public var reason: String
    /// As it came, but for what is beyond ``bodyBytesMaximum``. In a list, its beginning.
    public var body: Data
    /// Bytes of the body as it came.
    public var size: Int
    /// nil for what was recorded by a version that kept none.
    public var envelope: MessageEnvelope?
    /// When it was published again, and the broker confirmed that.
    public var replayedAt: Date?
    /// Who wanted that. No proof of anything.
    public var replayedBy: String?

    public init(
        id: Int64, at: Date, reason: String, body: Data, size: Int? = nil, envelope: MessageEnvelope? = nil,
        replayedAt: Date? = nil, replayedBy: String? = nil
    ) {
        self.id = id
        self.at = at
        self.reason = reason
        self.body = body
        self.size = size ?? body.count
        self.envelope = envelope
        self.replayedAt = replayedAt
        self.replayedBy = replayedBy
    }

    /// Whether all of the body is kept.
    public var isWhole: Bool { size <= Self.bodyBytesMaximum }
}
