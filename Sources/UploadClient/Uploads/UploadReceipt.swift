public import Uploads

/// What a completed upload left behind.
public struct UploadReceipt: Hashable, Sendable {
    /// What lies at the destination.
    public var object: StoredObject
    /// What the server answered: status, chosen headers, the first bytes of the body. Some answers are the only handle to what was
    /// stored.
    public var response: ServerResponse?

    public init(object: StoredObject, response: ServerResponse? = nil) {
        self.object = object
        self.response = response
    }
}
