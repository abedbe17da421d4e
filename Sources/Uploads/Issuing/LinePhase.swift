/// How a job stands in the serial line of its transfer queue.
public enum LinePhase: String, Codable, Sendable {
    /// Others are ahead of it: nobody has a baton of it.
    case waiting
    /// Its turn has come, and the marker is awaited after which it is issued.
    case releasing
    /// Issued, and not ended: nothing behind it begins.
    case released
}
