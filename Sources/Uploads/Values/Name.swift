/// A name that is used in queue names, routing keys and metric labels: `[a-z0-9_-]{1,64}`.
public protocol Name: Hashable, Codable, Sendable, CustomStringConvertible {
    /// The kind of thing that has the name, for error messages: "queue", "destination".
    static var subject: String { get }
    var rawValue: String { get }
    init(unchecked rawValue: String)
}

extension Name {
    /// - Throws: `misconfigured` when the text is empty, longer than 64 characters or has others than `a-z 0-9 _ -`.
    public init(_ text: String) throws(UploadError) {
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard allowed, (1...64).contains(text.utf8.count) else {
            throw UploadError(
                .misconfigured,
                "'\(text)' is no \(Self.subject) name: use 1 to 64 of the characters a-z, 0-9, '_' and '-'")
        }
        self.init(unchecked: text)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as UploadError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public var description: String { rawValue }
}
