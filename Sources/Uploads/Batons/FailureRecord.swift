public import Foundation

/// One failed attempt, as the baton remembers it.
public struct FailureRecord: Codable, Hashable, Sendable {
    public var at: Date
    /// Which attempt, from 1.
    public var attempt: Int
    public var code: UploadError.Code
    /// Cut to ``messageCharactersMaximum``.
    public var message: String

    public static let messageCharactersMaximum = 300

    public init(at: Date, attempt: Int, error: UploadError) {
        self.at = at
        self.attempt = attempt
        self.code = error.code
        self.message = String(error.message.prefix(Self.messageCharactersMaximum))
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        at = try container.decode(Date.self, forKey: .at)
        attempt = try container.decode(1...WireLimits.countMaximum, forKey: .attempt)
        code = try container.decode(UploadError.Code.self, forKey: .code)
        message = String(try container.decode(String.self, forKey: .message).prefix(Self.messageCharactersMaximum))
    }
}
