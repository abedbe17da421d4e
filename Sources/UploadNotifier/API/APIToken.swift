/// A token of the API, with the name under which its holder's orders are kept.
public struct APIToken: Sendable {
    /// The fewest characters of a token's text.
    public static let textCountMinimum = 16

    public let name: String
    public let role: APIRole
    /// The transfer queues whose jobs its holder may change; nil for all. It may see everything.
    public let queues: Set<String>?
    /// More than one while the token is being replaced: the new text and the old one.
    let texts: [String]

    public init(_ name: String, role: APIRole, queues: Set<String>? = nil, texts: [String]) {
        self.name = name
        self.role = role
        self.queues = queues
        self.texts = texts
    }

    /// Whether a text would be accepted for both tokens.
    public func shares(with other: APIToken) -> Bool { !Set(texts).isDisjoint(with: other.texts) }
}
