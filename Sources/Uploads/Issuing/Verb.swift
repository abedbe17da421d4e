/// An operator's order for one job.
public enum Verb: String, CaseIterable, Codable, Sendable {
    /// Stop, remove what is half there, end as `cancelled`. Sticks until the round ends.
    case cancel
    /// Hold the job where it is: a control entry, nothing is issued.
    case pause
    /// Go on with a paused job.
    case resume
    /// Go on at once, ahead of others.
    case runNow
    /// Begin a new round of an ended job.
    case runAgain
    /// Give up what a failed job left at its destination and in its staging area: a new round that is cancelled from its beginning.
    case discard
    /// Take the names, metadata, answers and errors of an ended job out of the ledger; its outcome stays.
    case forget

    /// Whether it is for a job that has ended, and begins its next round.
    public var beginsRound: Bool { self == .runAgain || self == .discard }
}
