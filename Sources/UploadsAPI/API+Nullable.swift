extension API {
    /// A field that every answer has: `null` where there is no value, instead of being left out.
    @propertyWrapper public struct Nullable<Value: Codable & Hashable & Sendable>: Hashable, Sendable {
        public var wrappedValue: Value?

        public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
    }
}

extension API.Nullable: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard let wrappedValue else { return try container.encodeNil() }
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// The compiler calls this for a ``API/Nullable`` property: a reader takes an absent field as null.
    func decode<Value>(_ type: API.Nullable<Value>.Type, forKey key: Key) throws -> API.Nullable<Value> {
        API.Nullable(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
