/// The call that tells that the bytes are there: a step of its own, repeated until it is answered.
public struct PresignedCompletion: Hashable, Sendable {
    /// With `{id}` for the upload's id and `{job}` for the job's.
    public var url: String
    /// `POST`, `PUT` or `PATCH`. Without a body.
    public var method: String
    /// Statuses besides 2xx that say that all is well, such as a 409 for what was told before.
    public var doneStatuses: Set<Int>
    /// Whether 404 says that the bytes are not there: they are sent again.
    public var sendsAgainWhenAbsent: Bool

    public init(
        url: String, method: String = "POST", doneStatuses: Set<Int> = [], sendsAgainWhenAbsent: Bool = false
    ) {
        self.url = url
        self.method = method
        self.doneStatuses = doneStatuses
        self.sendsAgainWhenAbsent = sendsAgainWhenAbsent
    }
}
