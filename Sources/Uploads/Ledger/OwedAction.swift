/// A publication that the ledger has noted and the broker has not confirmed yet.
public struct OwedAction: Hashable, Sendable, Identifiable {
    /// The id that stands for all jobs, or none, where a publication is not about one job.
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

/// The result of recording messages one at a time.
public struct SingleRecording: Hashable, Sendable {
    /// A message that the ledger could not record and keeps as a dead letter.
    public struct Refusal: Hashable, Sendable {
        /// The job that the message is about, if it is about one.
        public var job: JobID?
        /// Why the message was refused, and what to do.
        public var reason: String

        public init(job: JobID?, reason: String) {
            self.job = job
            self.reason = reason
        }
    }

    /// The publications that are now owed because of the recorded messages, in order.
    public var owed: [OwedAction]
    public var refusals: [Refusal]

    public init(owed: [OwedAction] = [], refusals: [Refusal] = []) {
        self.owed = owed
        self.refusals = refusals
    }
}
