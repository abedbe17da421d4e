/// The call that reports to the endpoint that the bytes are there: a step of its own, repeated until the endpoint answers it.
public struct PresignedCompletion: Hashable, Sendable {
    /// The URL, with `{id}` for the upload's id and `{job}` for the job's.
    public var url: String
    /// `POST`, `PUT` or `PATCH`. The call has no body.
    public var method: String
    /// Statuses besides 2xx that mean success, such as a 409 for an upload that was reported before.
    public var doneStatuses: Set<Int>
    /// Whether 404 means that the bytes are not there: the worker sends them again.
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
