public import Foundation

/// An order that a job has obeyed, as the job's record keeps it: `{"verb": "pause", "by": "jo@203.0.113.7", "at": …}`.
public struct JobOrder: Codable, Hashable, Sendable {
    /// The most orders that a job's record keeps: the last ones.
    public static let countMaximum = 20

    /// ``Verb``'s word, or `move`.
    public var verb: String
    /// Who gave it (``UploadOrder/by``).
    public var by: String
    /// When it was given.
    public var at: Date

    public init(verb: String, by: String, at: Date) {
        self.verb = verb
        self.by = by
        self.at = at
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        verb = try container.decodeText(atMost: WireLimits.nameLengthMaximum, forKey: .verb)
        by = try container.decodeText(atMost: WireLimits.nameLengthMaximum, forKey: .by)
        at = try container.decode(Date.self, forKey: .at)
    }
}
