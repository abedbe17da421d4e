/// The outcomes that handles of this program have returned before it had a delegate, by ``UploadOutcome/id``. They are
/// kept for a delegate that may still be set, and count as delivered when the program closes without one.
struct GivenOutcomes: Sendable {
    /// How many outcomes are kept at most: 10,000, some MiB. The limit bounds the memory of a program that never has a
    /// delegate.
    static let countMaximum = 10_000

    private(set) var ids: Set<String> = []
    /// Whether a delegate was set in this run; from then on the handles' outcomes do not matter.
    private(set) var hadDelegate = false

    /// Notes that a handle has returned an outcome.
    /// - Returns: the outcomes that count as delivered at once because too many are kept.
    mutating func add(_ id: String) -> Set<String> {
        guard !hadDelegate else { return [] }
        ids.insert(id)
        return ids.count > Self.countMaximum ? takeAll() : []
    }

    mutating func takeAll() -> Set<String> {
        defer { ids = [] }
        return ids
    }

    /// Notes that a delegate was set: it will get every outcome that was not delivered.
    mutating func delegateWasSet() {
        hadDelegate = true
        ids = []
    }
}
