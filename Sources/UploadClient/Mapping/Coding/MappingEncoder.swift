import Uploads

/// Collects the output of an `Encodable` type.
final class MappingEncoder: Encoder {
    let writer: MappingWriter
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    let node: JSONNode

    init(writer: MappingWriter, codingPath: [any CodingKey], node: JSONNode = JSONNode()) {
        self.writer = writer
        self.codingPath = codingPath
        self.node = node
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(KeyedWriting(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return UnkeyedWriting(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleWriting(encoder: self) }

    /// The encoder for a container at a deeper place.
    func nested(_ key: MappingKey, _ node: JSONNode) -> MappingEncoder {
        MappingEncoder(writer: writer, codingPath: codingPath + [key], node: node)
    }
}

private struct SingleWriting: SingleValueEncodingContainer {
    let encoder: MappingEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws { encoder.node.become(.null) }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        encoder.node.become(try encoder.writer.write(value, at: codingPath))
    }
}
