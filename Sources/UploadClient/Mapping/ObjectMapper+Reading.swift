public import Foundation
public import Uploads

extension ObjectMapper {
    /// Reads the object in a JSON value.
    ///
    /// - An object whose `type` is known (mapped, or a default) becomes a value of its Swift type, objects in its
    ///   fields included.
    /// - An array becomes an array, element by element.
    /// - Plain JSON (an object without a `type`, a string, a number, true, false, null) is returned as it is, as
    ///   `JSONValue`.
    /// - An object of an unknown type gives nil, and so does an array that holds one.
    ///
    /// - Throws: `invalidResponse` when the type is known but the JSON does not fit it; the message names the type and
    ///   the field. `try?` turns that into nil as well.
    public func object(from json: JSONValue) throws(UploadError) -> Any? {
        try MappingReader(table: table).object(from: json, at: [])
    }

    /// The same for JSON text. Text that is not JSON gives nil.
    public func object(from data: Data) throws(UploadError) -> Any? {
        guard let json = try? WireJSON.decode(JSONValue.self, from: data) else { return nil }
        return try object(from: json)
    }

    /// Reads a value of an expected Swift type: a mapped type, a default, an array of them, or any other `Decodable`
    /// type.
    ///
    /// - Throws: `invalidResponse` for anything else; the message names the type and the field.
    public func object<Value: Decodable>(
        _ type: Value.Type, from json: JSONValue
    ) throws(UploadError) -> Value {
        let table = table
        do {
            return try MappingReader(table: table).read(type, from: json, at: [])
        } catch {
            let mapping = json[TypeMapping.typeField]?.string.flatMap(table.mapping(named:))
            throw .doesNotFit(type, as: mapping?.type, error)
        }
    }

    /// The same for JSON text.
    public func object<Value: Decodable>(_ type: Value.Type, from data: Data) throws(UploadError) -> Value {
        guard let json = try? WireJSON.decode(JSONValue.self, from: data) else {
            throw UploadError(
                .invalidResponse, "the data for \(type) is not JSON (\(data.count) bytes): send JSON", retry: .never)
        }
        return try object(type, from: json)
    }
}
