import Uploads

/// The fields of a JSON object under the names of properties.
struct KeyedReading<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: MappingDecoder
    let fields: [String: JSONValue]

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { fields.keys.compactMap { decoder.property(of: $0).flatMap(Key.init(stringValue:)) } }

    func contains(_ key: Key) -> Bool { decoder.field(of: key.stringValue).map { fields[$0] != nil } ?? false }

    func decodeNil(forKey key: Key) throws -> Bool { try place(of: key).json == .null }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let (json, path) = try place(of: key)
        return try decoder.reader.read(type, from: json, at: path)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        MappingDecoder(
            reader: decoder.reader, json: fields["super"] ?? .null, codingPath: codingPath + [MappingKey("super")])
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }

    private func nested(_ key: Key) throws -> MappingDecoder {
        let (json, path) = try place(of: key)
        return MappingDecoder(reader: decoder.reader, json: json, codingPath: path)
    }

    private func place(of key: Key) throws -> (json: JSONValue, path: [any CodingKey]) {
        let field = decoder.field(of: key.stringValue)
        guard let field, let json = fields[field] else {
            throw DecodingError.keyNotFound(
                MappingKey(field ?? key.stringValue),
                DecodingError.Context(codingPath: codingPath, debugDescription: "is missing"))
        }
        return (json, codingPath + [MappingKey(field)])
    }
}
