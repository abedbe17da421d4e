public import Foundation
public import Uploads

/// The place for a file: type `UploadSession`, the answer to a ``BridgeUploadRequest``.
public struct BridgeUploadSession: Codable, Hashable, Sendable, KeepsUnknownFields {
    /// The upload's id at Bridge.
    public var id: String
    /// Pre-signed, and so a credential itself: never log its query.
    public var url: URL
    /// When ``url`` expires; a day after the request.
    public var expires: Date
    public var unknownFields: [String: JSONValue]?

    public init(id: String, url: URL, expires: Date) {
        self.id = id
        self.url = url
        self.expires = expires
        self.unknownFields = nil
    }

    private enum CodingKeys: String, CodingKey { case id, url, expires }
}
