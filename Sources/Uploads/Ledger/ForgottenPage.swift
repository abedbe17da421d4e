/// What became of some of the jobs whose names are forgotten by age.
public struct ForgottenPage: Hashable, Sendable {
    /// Those that were forgotten.
    public var count: Int
    /// The job behind which to go on; nil after the last.
    public var next: JobID?

    public init(count: Int, next: JobID?) {
        self.count = count
        self.next = next
    }
}
