/// Puts elements into a list.
struct JSONListWriter: UnkeyedEncodingContainer {
    let writer: JSONWriter

    var codingPath: [any CodingKey] { [] }
    var count: Int { writer.elementCount }

    private func begin() -> JSONOutput {
        writer.beginElement()
        return writer.output
    }

    func encodeNil() { begin().writeNull() }
    func encode(_ value: Bool) { begin().write(value) }
    func encode(_ value: String) { begin().write(value) }
    func encode(_ value: Double) throws { try begin().write(value) }
    func encode(_ value: Float) throws { try begin().write(value.written) }
    func encode(_ value: Int) { begin().write(value) }
    func encode(_ value: Int8) { begin().write(value) }
    func encode(_ value: Int16) { begin().write(value) }
    func encode(_ value: Int32) { begin().write(value) }
    func encode(_ value: Int64) { begin().write(value) }
    func encode(_ value: UInt) { begin().write(value) }
    func encode(_ value: UInt8) { begin().write(value) }
    func encode(_ value: UInt16) { begin().write(value) }
    func encode(_ value: UInt32) { begin().write(value) }
    func encode(_ value: UInt64) { begin().write(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try begin().write(value: value) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        writer.beginElement()
        return writer.child().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.beginElement()
        return writer.child().unkeyedContainer()
    }

    func superEncoder() -> any Encoder { preconditionFailure("nothing on the wire is a subclass") }
}
