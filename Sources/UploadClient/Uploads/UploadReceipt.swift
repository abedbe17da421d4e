public import Uploads

/// The result of a completed upload.
public struct UploadReceipt: Hashable, Sendable {
    /// The object at the destination.
    public var object: StoredObject
    /// The server's answer: status, chosen headers, the first bytes of the body. Some answers hold the only reference
    /// to the stored object.
    public var response: ServerResponse?

    public init(object: StoredObject, response: ServerResponse? = nil) {
        self.object = object
        self.response = response
    }
}
