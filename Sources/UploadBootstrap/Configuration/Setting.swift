/// One value of the configuration, as the user wrote it, and its origin.
public struct Setting: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case text(String)
        case list([String])

        /// The items; a text counts as a list with one item.
        var items: [String] {
            switch self {
            case .text(let text): [text]
            case .list(let items): items
            }
        }
    }

    public var value: Value
    public var origin: Origin

    public init(_ value: Value, _ origin: Origin) {
        self.value = value
        self.origin = origin
    }

    public init(_ text: String, _ origin: Origin) { self.init(.text(text), origin) }
}
