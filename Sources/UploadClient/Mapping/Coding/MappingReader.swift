import Uploads

/// Reads objects from JSON with the mappings of one moment.
struct MappingReader {
    let table: MappingTable

    /// Reads by the `type` field. nil: the type is unknown.
    func object(from json: JSONValue, at path: [any CodingKey]) throws(UploadError) -> Any? {
        switch json {
        case .array(let elements):
            var objects: [Any] = []
            for (index, element) in elements.enumerated() {
                guard let object = try object(from: element, at: path + [MappingKey(index)]) else { return nil }
                objects.append(object)
            }
            return objects
        case .object(let fields):
            guard let type = fields[TypeMapping.typeField]?.string, !type.isEmpty else { return json }
            guard let mapping = table.mapping(named: type) else { return nil }
            do {
                return try read(mapping.swiftType, from: json, at: path)
            } catch {
                throw .doesNotFit(mapping.swiftType, as: type, error)
            }
        case .null, .bool, .integer, .number, .string: return json
        }
    }

    /// Reads by the expected Swift type.
    func read<Value: Decodable>(
        _ type: Value.Type, from json: JSONValue, at path: [any CodingKey]
    ) throws -> Value {
        if let leaf = try JSONLeaf.read(type, from: json, at: path) as? Value { return leaf }
        let mapping = try mapping(for: type, json, path)
        let keeps = type is any KeepsUnknownFields.Type
        let decoder = MappingDecoder(
            reader: self, json: json, codingPath: path, mapping: mapping,
            hiddenProperty: keeps ? unknownFieldsProperty : nil)
        let value = try Value(from: decoder)
        guard let keeper = value as? any KeepsUnknownFields, case .object(var unknown) = json else { return value }
        for field in decoder.fieldsAskedFor { unknown[field] = nil }
        if mapping != nil { unknown[TypeMapping.typeField] = nil }
        return keeper.keeping(unknown) as? Value ?? value
    }

    private func mapping(
        for type: Any.Type, _ json: JSONValue, _ path: [any CodingKey]
    ) throws -> TypeMapping? {
        let candidates = table.mappings(of: type)
        guard let last = candidates.last else { return nil }
        guard case .object(let fields) = json else {
            guard json != .null else {
                throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: "is null"))
            }
            throw MappingProblem.decoding("is not an object", type, at: path)
        }
        guard let name = fields[TypeMapping.typeField]?.string else { return last }
        if let stated = candidates.last(where: { $0.type == name }) { return stated }
        let names = candidates.map { "'\($0.type)'" }.joined(separator: " or ")
        throw MappingProblem.corrupted("is not \(names)", at: path + [MappingKey(TypeMapping.typeField)])
    }
}
