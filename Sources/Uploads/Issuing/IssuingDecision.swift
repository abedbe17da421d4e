/// The effect of a message or a verb: the job in its new state, and the actions that follow.
public struct IssuingDecision: Hashable, Sendable {
    /// The job in its new state; nil if the message is about no known job.
    public var job: LedgerJob?
    public var actions: [IssuingAction]
    /// The new place of a job that waits in a serial line; nil for one that stays where it is, or enters at the end.
    public var place: SerialPosition?

    public init(job: LedgerJob?, actions: [IssuingAction] = [], place: SerialPosition? = nil) {
        self.job = job
        self.actions = actions
        self.place = place
    }
}
