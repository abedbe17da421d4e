/// A route from an exchange to a queue or to another exchange.
public struct Binding: Hashable, Sendable {
    public var source: String
    public var destination: Destination
    public var routingKey: String
    public var arguments: Table

    public init(source: String, destination: Destination, routingKey: String = "", arguments: Table = [:]) {
        self.source = source
        self.destination = destination
        self.routingKey = routingKey
        self.arguments = arguments
    }

    public enum Destination: Hashable, Sendable {
        case queue(String)
        case exchange(String)
    }
}
