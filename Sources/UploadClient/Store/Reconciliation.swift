/// Decides about an upload whose program died while it handed the upload over, so that no record says whether the
/// upload was accepted. Pure.
enum Reconciliation: Hashable {
    /// The outcome is recorded already; the record of the upload is removed.
    case forget
    /// The upload was accepted; its outcome is awaited.
    case expect
    /// The upload is accepted now, as one that may have been accepted before.
    case accept
    /// The upload cannot be accepted any more, because the record lacks parts that only the dead program knew. The
    /// record is removed; the staged copy, too, if no accepted job and no idempotency key can need it.
    case remove(withCopy: Bool)

    /// - Parameters:
    ///   - hasEnded: whether the outcome of its round is recorded, delivered or not.
    ///   - isHeld: whether the backend has the upload; nil where the backend cannot know.
    ///   - isWhole: whether the record holds the whole job: neither inline bytes nor the query of a URL are missing.
    ///   - isKeyed: whether it has an idempotency key, under which the staged copy is registered.
    static func decide(hasEnded: Bool, isHeld: Bool?, isWhole: Bool, isKeyed: Bool) -> Reconciliation {
        if hasEnded { return .forget }
        if isHeld == true { return .expect }
        if isWhole { return .accept }
        return .remove(withCopy: isHeld == false && !isKeyed)
    }
}
