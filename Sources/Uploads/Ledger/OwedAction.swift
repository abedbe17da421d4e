/// A publication that the ledger has noted and nobody has confirmed yet.
public struct OwedAction: Hashable, Sendable, Identifiable {
    /// Stands for all jobs, or none, where a publication is not about one.
    public static let sharedJob = JobID("00000000-0000-0000-0000-000000000000") ?? JobID()

    /// Rises in the order in which the actions were noted.
    public let id: Int64
    public let job: JobID
    public let action: IssuingAction

    public init(id: Int64, job: JobID, action: IssuingAction) {
        self.id = id
        self.job = job
        self.action = action
    }
}
