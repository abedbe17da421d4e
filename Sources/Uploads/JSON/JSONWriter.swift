import Foundation

/// Makes text of values by their `Encodable`: members in the order of their names, times, bytes and URLs as in ``WireJSON``.
final class JSONWriter: Encoder, SingleValueEncodingContainer {
    private var piece: JSONPiece?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Throws: `EncodingError`, and what the value throws.
    static func data(of value: some Encodable) throws -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2048)
        try piece(of: value).write(to: &bytes)
        return Data(bytes)
    }

    static func piece<Value: Encodable>(of value: Value) throws -> JSONPiece {
        let type = Value.self
        if type == Date.self, let date = value as? Date { return .time(date) }
        if type == JSONValue.self, let value = value as? JSONValue { return JSONPiece(value) }
        if type == Data.self, let data = value as? Data { return .base64(data) }
        if type == URL.self, let url = value as? URL { return .text(url.absoluteString) }
        let writer = JSONWriter()
        try value.encode(to: writer)
        return writer.piece ?? .branch(JSONBranch(members: []))
    }

    /// Returns the branch that was begun, if any: a value may ask for its container more than once.
    private func branch(orElse new: @autoclosure () -> JSONBranch) -> JSONBranch {
        if case .branch(let branch) = piece { return branch }
        let branch = new()
        piece = .branch(branch)
        return branch
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONObjectWriter(branch: branch(orElse: JSONBranch(members: []))))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONListWriter(branch: branch(orElse: JSONBranch(elements: [])))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { piece = .null }
    func encode(_ value: Bool) { piece = .bool(value) }
    func encode(_ value: String) { piece = .text(value) }
    func encode(_ value: Double) { piece = .number(value) }
    func encode(_ value: Float) { piece = .number(value.written) }
    func encode(_ value: Int) { piece = .integer(Int64(value)) }
    func encode(_ value: Int8) { piece = .integer(Int64(value)) }
    func encode(_ value: Int16) { piece = .integer(Int64(value)) }
    func encode(_ value: Int32) { piece = .integer(Int64(value)) }
    func encode(_ value: Int64) { piece = .integer(value) }
    func encode(_ value: UInt) { piece = .unsigned(UInt64(value)) }
    func encode(_ value: UInt8) { piece = .unsigned(UInt64(value)) }
    func encode(_ value: UInt16) { piece = .unsigned(UInt64(value)) }
    func encode(_ value: UInt32) { piece = .unsigned(UInt64(value)) }
    func encode(_ value: UInt64) { piece = .unsigned(value) }
    func encode<Value: Encodable>(_ value: Value) throws { piece = try Self.piece(of: value) }
}
