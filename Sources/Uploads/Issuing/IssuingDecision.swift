/// What a message or a verb makes of a job, and what follows.
public struct IssuingDecision: Hashable, Sendable {
    /// The job as it now stands; nil if the message is about none that is known.
    public var job: LedgerJob?
    public var actions: [IssuingAction]

    public init(job: LedgerJob?, actions: [IssuingAction] = []) {
        self.job = job
        self.actions = actions
    }
}
