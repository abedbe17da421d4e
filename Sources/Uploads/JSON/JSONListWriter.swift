/// Puts elements into a list.
struct JSONListWriter: UnkeyedEncodingContainer {
    let branch: JSONBranch

    var codingPath: [any CodingKey] { [] }
    var count: Int { branch.elements.count }

    func encodeNil() { branch.add(.null) }
    func encode(_ value: Bool) { branch.add(.bool(value)) }
    func encode(_ value: String) { branch.add(.text(value)) }
    func encode(_ value: Double) { branch.add(.number(value)) }
    func encode(_ value: Float) { branch.add(.number(value.written)) }
    func encode(_ value: Int) { branch.add(.integer(Int64(value))) }
    func encode(_ value: Int8) { branch.add(.integer(Int64(value))) }
    func encode(_ value: Int16) { branch.add(.integer(Int64(value))) }
    func encode(_ value: Int32) { branch.add(.integer(Int64(value))) }
    func encode(_ value: Int64) { branch.add(.integer(value)) }
    func encode(_ value: UInt) { branch.add(.unsigned(UInt64(value))) }
    func encode(_ value: UInt8) { branch.add(.unsigned(UInt64(value))) }
    func encode(_ value: UInt16) { branch.add(.unsigned(UInt64(value))) }
    func encode(_ value: UInt32) { branch.add(.unsigned(UInt64(value))) }
    func encode(_ value: UInt64) { branch.add(.unsigned(value)) }
    func encode<Value: Encodable>(_ value: Value) throws { branch.add(try JSONWriter.piece(of: value)) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let nested = JSONBranch(members: [])
        branch.add(.branch(nested))
        return KeyedEncodingContainer(JSONObjectWriter<Nested>(branch: nested))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = JSONBranch(elements: [])
        branch.add(.branch(nested))
        return JSONListWriter(branch: nested)
    }

    func superEncoder() -> any Encoder { preconditionFailure("nothing on the wire is a subclass") }
}
