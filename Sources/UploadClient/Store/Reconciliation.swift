/// What becomes of an upload whose program died while it was handing the upload over, so that no record says whether the upload was accepted. Pure.
enum Reconciliation: Hashable {
    /// Its outcome is noted already; the record of it goes.
    case forget
    /// It was accepted; its outcome is awaited.
    case expect
    /// It is accepted now, as one that may have been accepted before.
    case accept
    /// It cannot be accepted any more, because the record lacks what only the dead program knew. The record goes; the staged copy
    /// goes, too, where no accepted job and no idempotency key can need it.
    case remove(withCopy: Bool)

    /// - Parameters:
    ///   - hasEnded: the outcome of its round is noted, told or not.
    ///   - isHeld: whether the backend has it; nil where the backend cannot know.
    ///   - isWhole: the record holds the whole order: neither inline bytes nor the query of a URL are missing.
    ///   - isKeyed: it has an idempotency key, under which the staged copy is registered.
    static func decide(hasEnded: Bool, isHeld: Bool?, isWhole: Bool, isKeyed: Bool) -> Reconciliation {
        if hasEnded { return .forget }
        if isHeld == true { return .expect }
        if isWhole { return .accept }
        return .remove(withCopy: isHeld == false && !isKeyed)
    }
}
