public import Foundation

/// The one outcome of a round: the first end that counted.
public struct RoundEnd: Codable, Hashable, Sendable {
    /// `completed`, `failed` or `cancelled`.
    public var kind: EventKind
    /// The id of the event that ended the round; the outcome itself is published as `<job>.<round>.ended`.
    public var event: String
    public var at: Date
    /// Why it failed.
    public var error: UploadError?

    public init(kind: EventKind, event: String, at: Date, error: UploadError? = nil) {
        self.kind = kind
        self.event = event
        self.at = at
        self.error = error
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            kind: try container.decode(EventKind.self, forKey: .kind),
            event: try container.decodeText(atMost: WireLimits.nameLengthMaximum, forKey: .event),
            at: try container.decode(Date.self, forKey: .at),
            error: try container.decodeIfPresent(UploadError.self, forKey: .error))
    }
}
