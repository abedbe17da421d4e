public import Foundation
public import Uploads

/// The request before an upload to a Bridge server: type `UploadRequest`, the body of `POST /v3/uploads`.
public struct BridgeUploadRequest: Codable, Hashable, Sendable, KeepsUnknownFields {
    /// The file's name.
    public var name: String
    /// Bytes; Bridge takes 1 to 50,000,000.
    public var contentLength: Int64
    /// A media type.
    public var contentType: String
    /// The MD5 of the whole file as sent: 16 bytes, base64 in the JSON.
    public var contentMD5: Data
    /// Whether the file is encrypted for the study; Bridge takes true if the field is missing.
    public var isEncrypted: Bool
    /// Whether the file is an archive; Bridge takes true if the field is missing.
    public var isZipped: Bool
    /// Fields that the study defines.
    public var metadata: [String: JSONValue]?
    public var unknownFields: [String: JSONValue]?

    public init(
        name: String, contentLength: Int64, contentType: String, contentMD5: Data, isEncrypted: Bool = true,
        isZipped: Bool = true, metadata: [String: JSONValue]? = nil
    ) {
        self.name = name
        self.contentLength = contentLength
        self.contentType = contentType
        self.contentMD5 = contentMD5
        self.isEncrypted = isEncrypted
        self.isZipped = isZipped
        self.metadata = metadata
        self.unknownFields = nil
    }

    private enum CodingKeys: String, CodingKey {
        case name, contentLength, contentType, metadata
        case contentMD5 = "contentMd5"
        case isEncrypted = "encrypted"
        case isZipped = "zipped"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try container.decode(String.self, forKey: .name),
            contentLength: try container.decode(Int64.self, forKey: .contentLength),
            contentType: try container.decode(String.self, forKey: .contentType),
            contentMD5: try container.decode(Data.self, forKey: .contentMD5),
            isEncrypted: try container.decodeIfPresent(Bool.self, forKey: .isEncrypted) ?? true,
            isZipped: try container.decodeIfPresent(Bool.self, forKey: .isZipped) ?? true,
            metadata: try container.decodeIfPresent([String: JSONValue].self, forKey: .metadata))
    }
}
