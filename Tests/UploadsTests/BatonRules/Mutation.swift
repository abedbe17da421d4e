/// A rule left out by a world's driver. A search that finds nothing wrong then would find nothing ever.
enum Mutation: String, CaseIterable {
    /// The delivery is acknowledged before what it brings about is confirmed.
    case acknowledgesFirst
    /// What may be a repeat is worked on.
    case worksOnSuspects
    /// A worker looks at no fence.
    case ignoresFences
    /// Who takes over from a dead notifier does not repeat what stands in the ledger.
    case forgetsWhatIsOwed
    /// The staged copy is locked by nobody.
    case locksNothing
    /// The destination is never asked what it holds.
    case neverProbes
    /// A cancel without a lock acts at once.
    case cancelsAtOnce
    /// What the broker has dropped is held, and never issued.
    case forgetsWhatItHolds
    /// A publication that may have arrived is repeated without a flag.
    case flagsNothing
}
