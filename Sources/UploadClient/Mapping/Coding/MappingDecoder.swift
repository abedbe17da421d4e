import Uploads

/// Presents a JSON value to the code of a `Decodable` type: fields under the names of its properties.
final class MappingDecoder: Decoder {
    let reader: MappingReader
    let json: JSONValue
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    /// The mapping of the value that is read here; deeper values have their own.
    let mapping: TypeMapping?
    /// The property that the reader fills by itself.
    let hiddenProperty: String?
    private(set) var fieldsAskedFor: Set<String> = []

    init(
        reader: MappingReader, json: JSONValue, codingPath: [any CodingKey], mapping: TypeMapping? = nil,
        hiddenProperty: String? = nil
    ) {
        self.reader = reader
        self.json = json
        self.codingPath = codingPath
        self.mapping = mapping
        self.hiddenProperty = hiddenProperty
    }

    /// nil for a property that no field can fill.
    func field(of property: String) -> String? {
        guard property != hiddenProperty else { return nil }
        let field = mapping.map { $0.field(of: property) } ?? property
        if let field { fieldsAskedFor.insert(field) }
        return field
    }

    func property(of field: String) -> String? {
        let property = mapping.map { $0.property(of: field) } ?? field
        return property == hiddenProperty ? nil : property
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let fields) = json else { throw mismatch("is not an object", [String: JSONValue].self) }
        return KeyedDecodingContainer(KeyedReading(decoder: self, fields: fields))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw mismatch("is not an array", [JSONValue].self) }
        return UnkeyedReading(decoder: self, elements: elements)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { SingleReading(decoder: self) }

    private func mismatch(_ words: String, _ type: Any.Type) -> DecodingError {
        guard json == .null else { return MappingProblem.decoding(words, type, at: codingPath) }
        return .valueNotFound(type, DecodingError.Context(codingPath: codingPath, debugDescription: "is null"))
    }
}

private struct SingleReading: SingleValueDecodingContainer {
    let decoder: MappingDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.json == .null }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder.reader.read(type, from: decoder.json, at: codingPath)
    }
}
