public import Uploads

/// What turns JSON into objects and back: ``ObjectMapper``, or a stand-in for it in the tests of an application.
public protocol ObjectMapping: Sendable {
    /// The object that a JSON value stands for. See ``ObjectMapper/object(from:)-(JSONValue)``.
    func object(from json: JSONValue) throws(UploadError) -> Any?

    /// The JSON value of an object. See ``ObjectMapper/json(from:)``.
    func json(from object: Any?) throws(UploadError) -> JSONValue?

    /// From now on JSON objects of this type become values of a Swift type. See ``ObjectMapper/setUpMapping(type:to:fields:)``.
    func setUpMapping<Mapped: Codable & SendableMetatype>(
        type: String, to swiftType: Mapped.Type, fields: [String: String]?
    ) throws(UploadError)

    /// Back to the default for this type.
    func clearMapping(type: String)
}
