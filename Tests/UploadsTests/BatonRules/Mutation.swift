/// A rule of <doc:JobLifeCycle> that a world's driver leaves out. A search that finds nothing wrong then could never
/// find anything.
enum Mutation: String, CaseIterable {
    /// Rule 6: the delivery is acknowledged before its publications are confirmed.
    case acknowledgesFirst
    /// Rule 2: a delivery that may be a repeat is worked on.
    case worksOnSuspects
    /// Rule 1: a worker looks at no fence.
    case ignoresFences
    /// Rule 3: the notifier that takes over from a dead one does not repeat what the ledger notes as owed.
    case forgetsWhatIsOwed
    /// Rule 9: no worker locks the staged copy.
    case locksNothing
    /// Rule 7: the destination is never asked what it holds.
    case neverProbes
    /// Rule 5: a cancel without a lock acts at once.
    case cancelsAtOnce
    /// Rule 3: the fence of a cancellation comes behind its baton.
    case fencesCancelsLast
    /// Rule 3: a job that the broker has dropped is held, and never issued.
    case forgetsWhatItHolds
    /// Rule 2: a publication that may have arrived is repeated without a flag.
    case flagsNothing
    /// The last part of a copy is sent without its seal.
    case needsNoSeal
    /// A copy without seal and without producer is waited for.
    case waitsForTheDead
}
