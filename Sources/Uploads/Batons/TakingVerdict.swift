/// The rules of the baton for taking: what a worker does with a delivery before it works on it.
public enum TakingVerdict: Hashable, Sendable {
    case work
    /// It may be a repeat: pass it to the notifier, wait for the confirm, then acknowledge.
    case suspect
    /// A higher generation counts: acknowledge, touch nothing.
    case superseded

    /// - Parameters:
    ///   - isRedelivered: whether the broker has delivered it before.
    ///   - isMaybeRepeated: whether its publisher could not know if an earlier try had arrived.
    public init(_ baton: Baton, isRedelivered: Bool, isMaybeRepeated: Bool, view: ControlView) {
        // Rule 1: lineage. Checked before suspicion, because the notifier would only drop a superseded baton.
        if view.validity(of: baton) == .superseded {
            self = .superseded
        } else if baton.onlyRemovesCopy {
            // Removing the copy twice harms nothing, and the notifier would drop a suspect, because the round has
            // ended.
            self = .work
        } else {
            // Rule 2: suspects are not worked on.
            self = isRedelivered || isMaybeRepeated ? .suspect : .work
        }
    }
}
