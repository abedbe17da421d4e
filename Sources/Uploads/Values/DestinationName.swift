/// The name of a destination in the configuration.
public struct DestinationName: Name {
    public static var subject: String { "destination" }
    public let rawValue: String
    public init(unchecked rawValue: String) { self.rawValue = rawValue }
}
