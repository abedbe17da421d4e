public import Foundation

/// Something in a staging area that is there longer than an upload usually takes.
public struct StagedLeftover: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// A staged copy, or the digests of one that is gone.
        case copy
        /// A file that was begun under a temporary name and never finished.
        case partial
        /// The registration of an idempotency key.
        case key
        /// An upload of a copy to a destination, which its producer may still make or go on with.
        case upload
    }

    /// The most leftovers that an area lists at once.
    public static let countMaximum = 10_000

    public var kind: Kind
    /// A copy's name as jobs name it; of an upload that name, `#` and the session's id; of anything else the path below the area.
    public var name: String
    /// When it was last written to.
    public var changedAt: Date
    /// Whether a job in the outbox needs it.
    public var isInOutbox: Bool
    public var bytes: Int64?

    public init(kind: Kind, name: String, changedAt: Date, isInOutbox: Bool = false, bytes: Int64? = nil) {
        self.kind = kind
        self.name = name
        self.changedAt = changedAt
        self.isInOutbox = isInOutbox
        self.bytes = bytes
    }
}
