/// Decides who is told of an outcome. Pure.
enum TellingRule {
    /// Whom an outcome waits for, as seen from one program.
    enum Decision: Hashable {
        /// This program's delegate is called; when it returns, the outcome is told.
        case delegate
        /// It is told: somebody in this program has taken it.
        case told
        /// Somebody else's, or nobody's yet.
        case wait
    }

    /// - Parameters:
    ///   - isOwn: this program started or took up the upload.
    ///   - isOwnerAlive: the program that did still runs.
    ///   - isTaken: a handle of this program has given it to somebody.
    ///   - hasDelegate: this program has a delegate.
    static func decide(isOwn: Bool, isOwnerAlive: Bool, isTaken: Bool, hasDelegate: Bool) -> Decision {
        guard isOwn || !isOwnerAlive else { return .wait }
        if hasDelegate { return .delegate }
        return isOwn && isTaken ? .told : .wait
    }
}
