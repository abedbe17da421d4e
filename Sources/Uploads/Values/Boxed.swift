/// Keeps a value that is seldom there, and large, beside the value that it belongs to: copies share it, and most of them are a pointer
/// to nothing.
@propertyWrapper
public struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    public init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

    public var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map(Box.init) }
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.box === other.box || one.box?.value == other.box?.value
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(box?.value) }
}
