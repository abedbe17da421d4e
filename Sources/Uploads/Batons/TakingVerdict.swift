/// What is to be done with a delivered baton before anybody works on it: the rules of the baton for taking.
public enum TakingVerdict: Hashable, Sendable {
    case work
    /// It may be a repeat: pass it to the notifier, confirmed, then acknowledge.
    case suspect
    /// A higher generation counts: acknowledge, touch nothing.
    case superseded

    /// - Parameters:
    ///   - isRedelivered: whether the broker gave it to somebody before.
    ///   - isMaybeRepeated: whether its publisher could not know if an earlier try had arrived.
    public init(_ baton: Baton, isRedelivered: Bool, isMaybeRepeated: Bool, view: ControlView) {
        // Comes before suspicion: the notifier would only drop it.
        if view.validity(of: baton) == .superseded {
            self = .superseded
        } else if baton.onlyRemovesCopy {
            // Doing it twice harms nothing, and the notifier would drop it: the round has ended.
            self = .work
        } else {
            self = isRedelivered || isMaybeRepeated ? .suspect : .work
        }
    }
}
