/// The members of an object. Of several members with one name the first counts.
struct JSONObjectReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
    typealias Unreadable = JSONText.Unreadable

    let text: JSONText
    /// The object's token; behind it come name, value, name, value …
    let index: Int

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        var keys: [Key] = []
        var name = index + 1
        while name < text.tokens[index].next {
            if let key = (try? text.string(at: name)).flatMap({ Key(stringValue: $0) }) { keys.append(key) }
            name = text.tokens[name + 1].next
        }
        return keys
    }

    private func find(_ key: Key) -> JSONReader? {
        text.member(key.stringValue, of: index).map { JSONReader(text: text, index: $0) }
    }

    private func member(_ key: Key) throws(Unreadable) -> JSONReader {
        guard let member = find(key) else { throw Unreadable() }
        return member
    }

    /// nil also for `null`.
    private func given(_ key: Key) -> JSONReader? { find(key).flatMap { $0.decodeNil() ? nil : $0 } }

    func contains(_ key: Key) -> Bool { find(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).decode(type) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try member(key).value(type) }

    // The protocol's own implementations would search for the member three times.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try given(key)?.decode(type) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try given(key)?.decode(type) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try given(key)?.decode(type) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try given(key)?.decode(type) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try given(key)?.decode(type) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try given(key)?.value(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    // Nothing on the wire is a subclass; Foundation's decoder would take over.
    func superDecoder() throws -> any Decoder { throw Unreadable() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw Unreadable() }
}
