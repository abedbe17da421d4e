/// The name of a transfer queue.
public struct QueueName: Name {
    public static var subject: String { "queue" }
    public static let standard = QueueName(unchecked: "default")
    public let rawValue: String
    public init(unchecked rawValue: String) { self.rawValue = rawValue }
}
