/// The effect of a message or a verb: the job as it now stands, and the actions that follow.
public struct IssuingDecision: Hashable, Sendable {
    /// The job as it now stands; nil if the message is about none that is known.
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
