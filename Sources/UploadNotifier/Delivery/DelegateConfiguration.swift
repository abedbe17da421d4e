public import Uploads

/// A delegate as the configuration names it: `delegates: {billing: {kind: webhook, …}}`.
public struct DelegateConfiguration: Sendable {
    /// What kind of delegate, with what that kind needs. Later kinds are further cases.
    public enum Kind: Sendable {
        case webhook(WebhookConfiguration)
        case log(LogConfiguration)
    }

    public var name: String
    public var kind: Kind
    /// Which outcomes it is told of; all three by default.
    public var types: Set<EventKind>

    public init(name: String, kind: Kind, types: Set<EventKind> = [.completed, .failed, .cancelled]) {
        self.name = name
        self.kind = kind
        self.types = types
    }
}
