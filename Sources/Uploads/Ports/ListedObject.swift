public import Foundation

/// An object as its destination lists it.
public struct ListedObject: Hashable, Sendable {
    /// Which job wrote the object.
    public enum Writer: Hashable, Sendable {
        /// The list does not tell; ``OriginDestination/find(_:)`` does.
        case unlisted
        /// Another program, or a destination that keeps no marks.
        case unmarked
        case job(enqueuedAt: Date)
    }

    /// The key as jobs name it.
    public var key: String
    /// Bytes, 0 or more.
    public var size: Int64
    /// When the object was written, by the destination's clock; nil where it does not tell.
    public var modifiedAt: Date?
    /// The MD5 of the bytes in lower-case hexadecimal, where the destination states one. It may be wrong for encrypted objects, so that
    /// only an equal one proves anything.
    public var md5: String?
    public var writer: Writer

    public init(key: String, size: Int64, modifiedAt: Date?, md5: String? = nil, writer: Writer) {
        self.key = key
        self.size = max(0, size)
        self.modifiedAt = modifiedAt
        self.md5 = md5
        self.writer = writer
    }
}
