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

/// What came of recording messages one at a time.
public struct SingleRecording: Hashable, Sendable {
    /// A message that the ledger could not record and keeps as a dead letter.
    public struct Refusal: Hashable, Sendable {
        /// The job that the message is about, if it is about one.
        public var job: JobID?
        /// Why, and what to do.
        public var reason: String

        public init(job: JobID?, reason: String) {
            self.job = job
            self.reason = reason
        }
    }

    /// What is now owed because of the others, in order.
    public var owed: [OwedAction]
    public var refusals: [Refusal]

    public init(owed: [OwedAction] = [], refusals: [Refusal] = []) {
        self.owed = owed
        self.refusals = refusals
    }
}
