/// What must hold at the destination for a completing write to happen.
public enum WriteCondition: Hashable, Sendable {
    case none
    /// Nothing lies there.
    case absent
    /// What lies there still has this ETag.
    case unchanged(etag: String)
}
