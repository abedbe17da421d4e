import Uploads

/// Writes the elements of an array.
struct UnkeyedWriting: UnkeyedEncodingContainer {
    let encoder: MappingEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    mutating func encodeNil() throws { encoder.node.append().become(.null) }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        let json = try encoder.writer.write(value, at: codingPath + [MappingKey(count)])
        encoder.node.append().become(json)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { nested() }

    private func nested() -> MappingEncoder { encoder.nested(MappingKey(count), encoder.node.append()) }
}
