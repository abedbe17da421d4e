/// Decides which program's delegate gets an outcome. Pure.
///
/// An outcome counts as delivered only when a delegate returns. The delegate also gets outcomes that a handle has
/// returned, even if it is set later in the same run. One exception: if a program closes its manager without ever
/// having had a delegate, the outcomes of its handles count as delivered, so that another program's delegate does not
/// get them.
enum DeliveryRule {
    /// What a program does with undelivered outcomes when it closes its manager.
    enum Closing: Hashable {
        /// Its delegate gets them, as far as it takes them.
        case deliver
        /// The outcomes that its handles have returned count as delivered.
        case countGiven
        /// They wait for the delegate of a later run, or of another program.
        case leave
    }

    /// - Parameters:
    ///   - isOwn: whether this program started or took up the upload.
    ///   - isOwnerAlive: whether the program that started or took up the upload still runs.
    ///   - hasDelegate: whether this program has a delegate.
    /// - Returns: whether this program's delegate gets the outcome now; otherwise the outcome waits.
    static func isToDeliver(isOwn: Bool, isOwnerAlive: Bool, hasDelegate: Bool) -> Bool {
        hasDelegate && (isOwn || !isOwnerAlive)
    }

    /// - Parameter hadDelegate: whether this program has or had a delegate in this run.
    static func closing(hasDelegate: Bool, hadDelegate: Bool) -> Closing {
        if hasDelegate { return .deliver }
        return hadDelegate ? .leave : .countGiven
    }
}
