public import Foundation
public import Uploads

extension ObjectMapper {
    /// Writes an object as a JSON value.
    ///
    /// - A value of a mapped or default Swift type becomes a JSON object of its type, with the fields named as in the
    ///   JSON; so do such values in its properties.
    /// - A `Date` becomes an ISO 8601 string in UTC with milliseconds.
    /// - Arrays and sets become arrays, dictionaries with string keys become objects, element by element; nil and
    ///   `NSNull` in them become null.
    /// - JSON is returned as it is: `JSONValue`, strings, booleans, numbers (whole ones exactly, within `Int64`).
    /// - Anything else, nil included, gives nil, and so does an array or dictionary that holds it.
    ///
    /// - Throws: `misconfigured` when the object's type is supported but JSON has no form for its value, such as an
    ///   infinite number; the message names type and field. `try?` turns that into nil as well.
    public func json(from object: Any?) throws(UploadError) -> JSONValue? {
        try MappingWriter(table: table).json(from: object)
    }

    /// The same as JSON text, with sorted keys.
    public func data(from object: Any?) throws(UploadError) -> Data? {
        guard let json = try json(from: object) else { return nil }
        do {
            return try WireJSON.encode(json)
        } catch {
            throw .cannotBeWritten(JSONValue.self, error)
        }
    }
}
