/// The place of a job in the serial line of its queue.
public struct LinePlace: Hashable, Sendable {
    /// How many that wait are ahead of it: where it would stand by `move`. nil once it is on its way.
    public var position: Int?
    /// How many wait in the line.
    public var waiting: Int
    /// The job that has to end, or to be released, before its turn comes; nil once it is on its way.
    public var behind: JobID?
    /// What holds the line up: released, and not ended.
    public var holder: JobID?
    public var holderStatus: LedgerStatus?

    public init(
        position: Int?, waiting: Int, behind: JobID? = nil, holder: JobID? = nil, holderStatus: LedgerStatus? = nil
    ) {
        self.position = position
        self.waiting = waiting
        self.behind = behind
        self.holder = holder
        self.holderStatus = holderStatus
    }
}
