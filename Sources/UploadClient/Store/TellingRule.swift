/// Decides who is told of an outcome. Pure.
///
/// Only a delegate's return makes an outcome told. What a handle has given is told to the delegate all the same, also to one that is
/// set later in the same run. The one exception is a program that closes its manager without ever having had a delegate: what its
/// handles gave counts as told, so that another program's delegate is not told of it.
enum TellingRule {
    /// What a program does with the outcomes that are not told when it closes its manager.
    enum Closing: Hashable {
        /// Its delegate is told of them, as far as it takes them.
        case tell
        /// Those that its handles have given count as told.
        case countGiven
        /// They wait for the delegate of a later run, or of another program.
        case leave
    }

    /// - Parameters:
    ///   - isOwn: this program started or took up the upload.
    ///   - isOwnerAlive: the program that did still runs.
    ///   - hasDelegate: this program has a delegate.
    /// - Returns: whether this program's delegate is told now; otherwise the outcome waits.
    static func isToTell(isOwn: Bool, isOwnerAlive: Bool, hasDelegate: Bool) -> Bool {
        hasDelegate && (isOwn || !isOwnerAlive)
    }

    /// - Parameter hadDelegate: this program has or had a delegate in this run.
    static func closing(hasDelegate: Bool, hadDelegate: Bool) -> Closing {
        if hasDelegate { return .tell }
        return hadDelegate ? .leave : .countGiven
    }
}
