public import Foundation
public import Uploads

/// Bridge's own record of an upload: type `Upload`. A server omits fields that it does not know yet.
public struct BridgeUpload: Codable, Hashable, Sendable, KeepsUnknownFields {
    public var uploadID: String
    public var status: BridgeUploadStatus
    public var filename: String?
    /// Bytes.
    public var contentLength: Int64?
    public var contentType: String?
    /// 16 bytes, base64 in the JSON.
    public var contentMD5: Data?
    public var requestedOn: Date?
    public var completedOn: Date?
    /// The sender of the completion: `app`, `s3_worker` or `redrive`.
    public var completedBy: String?
    /// The upload that this one repeats.
    public var duplicateUploadID: String?
    /// The health data record that Bridge made from it.
    public var recordID: String?
    public var validationMessages: [String]?
    /// A day of the server's calendar, such as `2026-11-21`: not a point in time.
    public var uploadDate: String?
    public var clientInfo: String?
    public var userAgent: String?
    /// Raised by every change.
    public var version: Int64?
    public var unknownFields: [String: JSONValue]?

    public init(uploadID: String, status: BridgeUploadStatus) {
        self.uploadID = uploadID
        self.status = status
    }

    private enum CodingKeys: String, CodingKey {
        case status, filename, contentLength, contentType, requestedOn, completedOn, completedBy, uploadDate
        case clientInfo, userAgent, version
        case uploadID = "uploadId"
        case contentMD5 = "contentMd5"
        case duplicateUploadID = "duplicateUploadId"
        case recordID = "recordId"
        case validationMessages = "validationMessageList"
    }
}
