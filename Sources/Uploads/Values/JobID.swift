public import Foundation

/// The id of a job: a UUID of version 7 (RFC 9562, section 5.7), so that ids sort by the time of enqueueing.
public struct JobID: Hashable, Comparable, Codable, CodingKeyRepresentable, Sendable, CustomStringConvertible {
    /// The length of an id's text, in bytes.
    package static let length = 36

    /// Lower case, 36 characters.
    public let rawValue: String

    /// - Returns: nil unless the text is a UUID (of any version: other producers may prefer theirs).
    public init?(_ text: String) {
        guard UUID(text: text) != nil else { return nil }
        rawValue = text.lowercased()
    }

    /// A new id for this moment.
    public init(now: Date = Date()) {
        var generator = SystemRandomNumberGenerator()
        self.init(now: now, using: &generator)
    }

    /// A new id from 48 bits of milliseconds since 1970 and 74 random bits.
    public init(now: Date, using generator: inout some RandomNumberGenerator) {
        let milliseconds = UInt64(max(0, now.timeIntervalSince1970 * 1000)) & 0xFFFF_FFFF_FFFF
        let high = milliseconds << 16 | 0x7000 | UInt64.random(in: 0...0xFFF, using: &generator)
        let low = 0x8000_0000_0000_0000 | UInt64.random(in: 0...0x3FFF_FFFF_FFFF_FFFF, using: &generator)
        self.init(high: high, low: low)
    }

    /// The id of these 128 bits.
    init(high: UInt64, low: UInt64) {
        let id = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.load(as: uuid_t.self)) }
        rawValue = id.uuidString.lowercased()
    }

    /// The 128 bits of the UUID.
    package var bits: (high: UInt64, low: UInt64) {
        // Only a UUID's text becomes an id.
        guard let id = UUID(text: rawValue) else { preconditionFailure("'\(rawValue)' is not a UUID") }
        return withUnsafeBytes(of: id.uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// Makes an id from a key of a JSON object.
    public init?(codingKey: some CodingKey) { self.init(codingKey.stringValue) }

    public var codingKey: any CodingKey { AnyCodingKey(stringValue: rawValue) }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = JobID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a UUID")
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    public var description: String { rawValue }
}
