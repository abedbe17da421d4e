/// What must hold at the destination for a completing write to happen.
public enum WriteCondition: Hashable, Sendable {
    case none
    /// Nothing lies there.
    case absent
    /// What lies there still has this ETag.
    case unchanged(etag: String)

    /// The condition under which what was seen may be replaced, and nothing else: nil is nothing seen. An object without an ETag
    /// cannot be told from another.
    public init(replacing object: StoredObject?) {
        guard let object else {
            self = .absent
            return
        }
        self = object.etag.map { .unchanged(etag: $0) } ?? .none
    }
}
