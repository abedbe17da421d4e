/// One value of the configuration, as it was written, and where.
public struct Setting: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case text(String)
        case list([String])

        /// A text is a list of one.
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
