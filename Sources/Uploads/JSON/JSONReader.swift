import Foundation

/// Reads values of a ``JSONText`` by their `Decodable`, at one of its tokens.
///
/// It keeps no coding paths, because Foundation's decoder makes the error messages.
struct JSONReader: Decoder, SingleValueDecodingContainer {
    typealias Unreadable = JSONText.Unreadable

    let text: JSONText
    let index: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The value here; times, bytes and URLs as in ``WireJSON``.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value: Any
        if type == Date.self {
            guard let date = WireJSON.date(try text.string(at: index)) else { throw Unreadable() }
            value = date
        } else if type == JSONValue.self {
            value = try text.value(at: index)
        } else if type == Data.self {
            guard let data = Data(base64Encoded: try text.string(at: index)) else { throw Unreadable() }
            value = data
        } else if type == UUID.self {
            guard let id = UUID(text: try text.string(at: index)) else { throw Unreadable() }
            value = id
        } else if type == URL.self {
            guard let url = URL(string: try text.string(at: index)) else { throw Unreadable() }
            value = url
        } else {
            return try Value(from: self)
        }
        guard let value = value as? Value else { throw Unreadable() }
        return value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard text.tokens[index].kind == .object else { throw Unreadable() }
        return KeyedDecodingContainer(JSONObjectReader(text: text, index: index))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard text.tokens[index].kind == .list else { throw Unreadable() }
        return JSONListReader(text: text, index: index)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { text.tokens[index].kind == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try text.bool(at: index) }
    func decode(_ type: String.Type) throws -> String { try text.string(at: index) }
    func decode(_ type: Double.Type) throws -> Double { try text.number(at: index) }
    func decode(_ type: Float.Type) throws -> Float { throw Unreadable() }
    func decode(_ type: Int.Type) throws -> Int { try text.integer(type, at: index) }
    func decode(_ type: Int8.Type) throws -> Int8 { try text.integer(type, at: index) }
    func decode(_ type: Int16.Type) throws -> Int16 { try text.integer(type, at: index) }
    func decode(_ type: Int32.Type) throws -> Int32 { try text.integer(type, at: index) }
    func decode(_ type: Int64.Type) throws -> Int64 { try text.integer(type, at: index) }
    func decode(_ type: UInt.Type) throws -> UInt { try text.integer(type, at: index) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try text.integer(type, at: index) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try text.integer(type, at: index) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try text.integer(type, at: index) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try text.integer(type, at: index) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}
