/// What a completing call brought.
public struct CompletedUpload: Hashable, Sendable {
    public var object: StoredObject
    /// What the server answered, where there is one.
    public var response: ServerResponse?
    /// Whether nothing proves its bytes though the destination is said to prove them: a job that can send it again does so.
    public var isUnproved = false
    /// What it lacks of what the destination was to give it, such as a lock: it is there, and no success. nil: nothing.
    public var flaw: UploadError?

    public init(_ object: StoredObject, response: ServerResponse? = nil) {
        self.object = object
        self.response = response
    }
}
