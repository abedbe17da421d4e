/// Puts members into an object.
struct JSONObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let branch: JSONBranch

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { branch.add(.null, key.stringValue) }
    func encode(_ value: Bool, forKey key: Key) { branch.add(.bool(value), key.stringValue) }
    func encode(_ value: String, forKey key: Key) { branch.add(.text(value), key.stringValue) }
    func encode(_ value: Double, forKey key: Key) { branch.add(.number(value), key.stringValue) }
    func encode(_ value: Float, forKey key: Key) { branch.add(.number(value.written), key.stringValue) }
    func encode(_ value: Int, forKey key: Key) { branch.add(.integer(Int64(value)), key.stringValue) }
    func encode(_ value: Int8, forKey key: Key) { branch.add(.integer(Int64(value)), key.stringValue) }
    func encode(_ value: Int16, forKey key: Key) { branch.add(.integer(Int64(value)), key.stringValue) }
    func encode(_ value: Int32, forKey key: Key) { branch.add(.integer(Int64(value)), key.stringValue) }
    func encode(_ value: Int64, forKey key: Key) { branch.add(.integer(value), key.stringValue) }
    func encode(_ value: UInt, forKey key: Key) { branch.add(.unsigned(UInt64(value)), key.stringValue) }
    func encode(_ value: UInt8, forKey key: Key) { branch.add(.unsigned(UInt64(value)), key.stringValue) }
    func encode(_ value: UInt16, forKey key: Key) { branch.add(.unsigned(UInt64(value)), key.stringValue) }
    func encode(_ value: UInt32, forKey key: Key) { branch.add(.unsigned(UInt64(value)), key.stringValue) }
    func encode(_ value: UInt64, forKey key: Key) { branch.add(.unsigned(value), key.stringValue) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        branch.add(try JSONWriter.piece(of: value), key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let nested = JSONBranch(members: [])
        branch.add(.branch(nested), key.stringValue)
        return KeyedEncodingContainer(JSONObjectWriter<Nested>(branch: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = JSONBranch(elements: [])
        branch.add(.branch(nested), key.stringValue)
        return JSONListWriter(branch: nested)
    }

    func superEncoder() -> any Encoder { preconditionFailure("nothing on the wire is a subclass") }
    func superEncoder(forKey key: Key) -> any Encoder { preconditionFailure("nothing on the wire is a subclass") }
}
