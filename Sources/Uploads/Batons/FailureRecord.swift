public import Foundation

/// One failed attempt, as the baton remembers it.
public struct FailureRecord: Codable, Hashable, Sendable {
    public var at: Date
    /// Which attempt, from 1.
    public var attempt: Int
    public var code: UploadError.Code
    /// Cut to ``messageCodePointsMaximum``.
    public var message: String

    /// In code points, as JSON Schema counts: a character of Unicode may have any number of them.
    public static let messageCodePointsMaximum = 300

    public init(at: Date, attempt: Int, error: UploadError) {
        self.at = at
        self.attempt = attempt
        self.code = error.code
        self.message = Self.cut(error.message)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        at = try container.decode(Date.self, forKey: .at)
        attempt = try container.decode(1...WireLimits.countMaximum, forKey: .attempt)
        code = try container.decode(UploadError.Code.self, forKey: .code)
        message = try container.decodeText(atMost: Self.messageCodePointsMaximum, forKey: .message)
    }

    static func cut(_ message: String) -> String {
        String(message.unicodeScalars.prefix(messageCodePointsMaximum))
    }
}
