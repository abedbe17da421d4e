public import Uploads

/// Converts JSON into objects and back: ``ObjectMapper``, or a stand-in for it in the tests of an application.
public protocol ObjectMapping: Sendable {
    /// Reads the object in a JSON value. See ``ObjectMapper/object(from:)-(JSONValue)``.
    func object(from json: JSONValue) throws(UploadError) -> Any?

    /// Writes an object as a JSON value. See ``ObjectMapper/json(from:)``.
    func json(from object: Any?) throws(UploadError) -> JSONValue?

    /// From now on JSON objects of this type become values of a Swift type. See
    /// ``ObjectMapper/setUpMapping(type:to:fields:)``.
    func setUpMapping<Mapped: Codable & SendableMetatype>(
        type: String, to swiftType: Mapped.Type, fields: [String: String]?
    ) throws(UploadError)

    /// Restores the default for this type.
    func clearMapping(type: String)
}
