/// The phase of a job in the serial line of its transfer queue.
public enum LinePhase: String, Codable, Sendable {
    /// Others are ahead of it: no valid baton of it exists.
    case waiting
    /// Its turn has come: the notifier issues it when it reads the marker back.
    case releasing
    /// Issued, and not ended: nothing behind it begins.
    case released
}
