public import Foundation

extension API {
    /// A field that every answer of this version has, and that `uploadctl` can do without: where it is absent or has
    /// another type, as in the answer of a notifier of another version, ``FallbackValue/fallback`` stands in for it.
    @propertyWrapper public struct Tolerant<Value: FallbackValue & Codable & Hashable & Sendable>: Hashable, Sendable {
        public var wrappedValue: Value

        public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    }

    /// A type with a value that stands in for a field which an answer does not have.
    public protocol FallbackValue {
        static var fallback: Self { get }
    }
}

extension API.Tolerant: Codable {
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// The compiler calls this for a ``API/Tolerant`` property.
    func decode<Value>(_ type: API.Tolerant<Value>.Type, forKey key: Key) -> API.Tolerant<Value> {
        API.Tolerant(wrappedValue: (try? decode(Value.self, forKey: key)) ?? .fallback)
    }
}

extension Bool: API.FallbackValue { public static var fallback: Bool { false } }
extension Int: API.FallbackValue { public static var fallback: Int { 0 } }
extension Int64: API.FallbackValue { public static var fallback: Int64 { 0 } }
extension Double: API.FallbackValue { public static var fallback: Double { 0 } }
extension String: API.FallbackValue { public static var fallback: String { "" } }
extension Date: API.FallbackValue { public static var fallback: Date { .distantPast } }
extension Array: API.FallbackValue { public static var fallback: [Element] { [] } }
extension Dictionary: API.FallbackValue { public static var fallback: [Key: Value] { [:] } }
