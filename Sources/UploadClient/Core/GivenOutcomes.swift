/// The outcomes that handles of this program have given before it had a delegate, by ``UploadOutcome/id``. They are kept for a
/// delegate that may still be set, and count as told when the program closes without one.
struct GivenOutcomes: Sendable {
    /// Outcomes that are kept at most, so that a program that never has a delegate does not grow: 10,000, some MiB.
    static let countMaximum = 10_000

    private(set) var ids: Set<String> = []
    /// Whether a delegate was set in this run; what handles give matters no more then.
    private(set) var hadDelegate = false

    /// A handle has given an outcome.
    /// - Returns: those that count as told at once because too many are kept.
    mutating func add(_ id: String) -> Set<String> {
        guard !hadDelegate else { return [] }
        ids.insert(id)
        return ids.count > Self.countMaximum ? takeAll() : []
    }

    mutating func takeAll() -> Set<String> {
        defer { ids = [] }
        return ids
    }

    /// A delegate was set: it is told of everything that is not told.
    mutating func delegateWasSet() {
        hadDelegate = true
        ids = []
    }
}
