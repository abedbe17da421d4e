public import Uploads

/// Uploads that Bridge is to process again: type `UploadRedriveList`, the body of `POST /v3/uploads/redrive`.
public struct BridgeUploadRedriveList: Codable, Hashable, Sendable, KeepsUnknownFields {
    public var uploadIDs: [String]
    public var unknownFields: [String: JSONValue]?

    public init(uploadIDs: [String]) {
        self.uploadIDs = uploadIDs
        self.unknownFields = nil
    }

    private enum CodingKeys: String, CodingKey { case uploadIDs = "uploadIds" }
}
