/// What a completing call brought.
public struct CompletedUpload: Hashable, Sendable {
    public var object: StoredObject
    /// What the server answered, where there is one.
    public var response: ServerResponse?

    public init(_ object: StoredObject, response: ServerResponse? = nil) {
        self.object = object
        self.response = response
    }
}
