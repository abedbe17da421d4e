public import Uploads

/// Bridge's result for an upload: type `UploadValidationStatus`, the answer of `complete` and of `GET
/// /v3/uploadstatuses/{id}`.
public struct BridgeUploadValidationStatus: Codable, Hashable, Sendable, KeepsUnknownFields {
    /// The upload's id at Bridge.
    public var id: String
    public var status: BridgeUploadStatus
    /// The messages of the validation.
    public var messages: [String]
    /// The health data record that Bridge made from the upload, as received.
    public var record: JSONValue?
    public var unknownFields: [String: JSONValue]?

    public init(id: String, status: BridgeUploadStatus, messages: [String] = [], record: JSONValue? = nil) {
        self.id = id
        self.status = status
        self.messages = messages
        self.record = record
        self.unknownFields = nil
    }

    private enum CodingKeys: String, CodingKey {
        case id, status, record
        case messages = "messageList"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(String.self, forKey: .id),
            status: try container.decode(BridgeUploadStatus.self, forKey: .status),
            messages: try container.decodeIfPresent([String].self, forKey: .messages) ?? [],
            record: try container.decodeIfPresent(JSONValue.self, forKey: .record))
    }
}
