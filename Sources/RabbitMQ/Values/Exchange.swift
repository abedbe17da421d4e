/// An exchange to declare.
public struct Exchange: Hashable, Sendable {
    public var name: String
    public var kind: Kind
    public var durable: Bool
    /// Deleted by the broker when the last binding from it is gone.
    public var autoDelete: Bool
    /// Reached only through bindings from other exchanges.
    public var `internal`: Bool
    public var arguments: Table

    public init(
        name: String, kind: Kind, durable: Bool = true, autoDelete: Bool = false, internal: Bool = false,
        arguments: Table = [:]
    ) {
        self.name = name
        self.kind = kind
        self.durable = durable
        self.autoDelete = autoDelete
        self.internal = `internal`
        self.arguments = arguments
    }

    /// How an exchange routes; plugins may add more than the constants here.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let direct = Kind(rawValue: "direct")
        public static let fanout = Kind(rawValue: "fanout")
        public static let headers = Kind(rawValue: "headers")
        public static let topic = Kind(rawValue: "topic")
    }
}
