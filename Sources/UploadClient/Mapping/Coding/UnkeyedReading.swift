import Uploads

/// The elements of a JSON array, one after the other.
struct UnkeyedReading: UnkeyedDecodingContainer {
    let decoder: MappingDecoder
    let elements: [JSONValue]
    private(set) var currentIndex = 0

    init(decoder: MappingDecoder, elements: [JSONValue]) {
        self.decoder = decoder
        self.elements = elements
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try element().json == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (json, path) = try element()
        let value = try decoder.reader.read(type, from: json, at: path)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try nested().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try nested().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try nested() }

    private mutating func nested() throws -> MappingDecoder {
        let (json, path) = try element()
        currentIndex += 1
        return MappingDecoder(reader: decoder.reader, json: json, codingPath: path)
    }

    private func element() throws -> (json: JSONValue, path: [any CodingKey]) {
        let path = codingPath + [MappingKey(currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.keyNotFound(
                MappingKey(currentIndex), DecodingError.Context(codingPath: codingPath, debugDescription: "is missing"))
        }
        return (elements[currentIndex], path)
    }
}
