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
