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
}
