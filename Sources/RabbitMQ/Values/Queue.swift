/// A queue to declare; its `arguments` choose the type (`x-queue-type`) and cannot be changed later.
public struct Queue: Hashable, Sendable {
    public var name: String
    public var durable: Bool
    /// Used by this connection alone, and deleted with it.
    public var exclusive: Bool
    /// Deleted by the broker when the last consumer is gone.
    public var autoDelete: Bool
    public var arguments: Table

    public init(
        name: String, durable: Bool = true, exclusive: Bool = false, autoDelete: Bool = false, arguments: Table = [:]
    ) {
        self.name = name
        self.durable = durable
        self.exclusive = exclusive
        self.autoDelete = autoDelete
        self.arguments = arguments
    }
}
