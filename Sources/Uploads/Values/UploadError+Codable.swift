import Foundation

/// As events and batons carry it: `{"code", "message", "retry": "never"|"afterBackoff"|"after"|"notYet"|"pause", "retryAfterSeconds"}`.
/// The cause stays in the process that saw it.
extension UploadError: Codable {
    private enum Key: String, CodingKey { case code, message, retry, retryAfterSeconds, response }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let code = try container.decode(Code.self, forKey: .code)
        let retry: Retry? =
            switch try container.decodeIfPresent(String.self, forKey: .retry) {
            case "never": .never
            case "after": .after(seconds: try Self.seconds(container))
            case "notYet": .notYet(seconds: try Self.seconds(container))
            case "pause": .pause(seconds: try Self.seconds(container))
            case "afterBackoff": .afterBackoff
            default: nil
            }
        self.init(
            code, try container.decodeText(atMost: WireLimits.messageLengthMaximum, forKey: .message), retry: retry,
            response: try container.decodeIfPresent(ServerResponse.self, forKey: .response))
    }

    private static func seconds(_ container: KeyedDecodingContainer<Key>) throws -> Double {
        try container.decodeIfPresent(0...WireLimits.secondsMaximum, forKey: .retryAfterSeconds) ?? 0
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
        switch retry {
        case .never: try container.encode("never", forKey: .retry)
        case .afterBackoff: try container.encode("afterBackoff", forKey: .retry)
        case .after(let seconds):
            try container.encode("after", forKey: .retry)
            try container.encode(Self.bounded(seconds), forKey: .retryAfterSeconds)
        case .notYet(let seconds):
            try container.encode("notYet", forKey: .retry)
            try container.encode(Self.bounded(seconds), forKey: .retryAfterSeconds)
        case .pause(let seconds):
            try container.encode("pause", forKey: .retry)
            try container.encode(Self.bounded(seconds), forKey: .retryAfterSeconds)
        }
        try container.encodeIfPresent(response, forKey: .response)
    }

    /// A server may ask for any number of seconds, even for NaN.
    private static func bounded(_ seconds: Double) -> Double {
        seconds > 0 ? min(seconds, WireLimits.secondsMaximum) : 0
    }
}

extension UploadError: Hashable {
    /// Compares the fields that are sent, neither cause nor location.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.message == right.message && left.retry == right.retry
            && left.response == right.response
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }
}
