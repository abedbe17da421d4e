/// An exchange or a queue of a namespace, in its present state on the broker.
public struct BrokerObject: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, Sendable {
        case exchange, queue
    }

    public enum State: String, Codable, Sendable {
        case asDeclared, missing
        /// Declared by another program with other arguments, which cannot be changed: see ``BrokerObject/problem``.
        case different
    }

    public var kind: Kind
    public var name: String
    public var state: State
    /// The difference, in the broker's words.
    public var problem: String?
    /// Messages that wait in a queue, without those delivered and not yet settled.
    public var messages: Int?
    /// The number of programs that read from a queue.
    public var consumers: Int?

    public init(
        _ kind: Kind, _ name: String, _ state: State, problem: String? = nil, messages: Int? = nil,
        consumers: Int? = nil
    ) {
        self.kind = kind
        self.name = name
        self.state = state
        self.problem = problem
        self.messages = messages
        self.consumers = consumers
    }
}
