/// What lies at a destination.
public struct FoundObject: Hashable, Sendable {
    public var object: StoredObject
    /// A media type, where the destination keeps one.
    public var contentType: String?

    public init(_ object: StoredObject, contentType: String? = nil) {
        self.object = object
        self.contentType = contentType
    }
}
