/// Puts members into an object.
struct JSONObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONWriter

    var codingPath: [any CodingKey] { [] }

    private func begin(_ key: Key) -> JSONOutput {
        writer.beginMember(key.stringValue)
        return writer.output
    }

    func encodeNil(forKey key: Key) { begin(key).writeNull() }
    func encode(_ value: Bool, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: String, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: Double, forKey key: Key) throws { try begin(key).write(value) }
    func encode(_ value: Float, forKey key: Key) throws { try begin(key).write(value.written) }
    func encode(_ value: Int, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: Int8, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: Int16, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: Int32, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: Int64, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: UInt, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: UInt8, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: UInt16, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: UInt32, forKey key: Key) { begin(key).write(value) }
    func encode(_ value: UInt64, forKey key: Key) { begin(key).write(value) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try begin(key).write(value: value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        writer.beginMember(key.stringValue)
        return writer.child().container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        writer.beginMember(key.stringValue)
        return writer.child().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { preconditionFailure("nothing on the wire is a subclass") }
    func superEncoder(forKey key: Key) -> any Encoder { preconditionFailure("nothing on the wire is a subclass") }
}
