import Uploads

/// Writes the properties of an object under their own names; a mapping renames them when the object is whole.
struct KeyedWriting<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: MappingEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) throws { encoder.node.field(key.stringValue).become(.null) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let json = try encoder.writer.write(value, at: codingPath + [MappingKey(key.stringValue)])
        encoder.node.field(key.stringValue).become(json)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key.stringValue).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key.stringValue).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { nested("super") }
    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key.stringValue) }

    private func nested(_ name: String) -> MappingEncoder {
        encoder.nested(MappingKey(name), encoder.node.field(name))
    }
}
