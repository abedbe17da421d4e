/// The fault of one field of a job that a producer wants to enqueue, with the remedy. Never holds a secret.
public struct JobProblem: Hashable, Sendable {
    /// The names on the way to the field, with slashes: `destination/key`.
    public var field: String
    public var detail: String

    public init(_ field: String, _ detail: String) {
        self.field = field
        self.detail = detail
    }
}
