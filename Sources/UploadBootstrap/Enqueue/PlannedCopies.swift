import Uploads

/// The copies of a plan's uploads: those that are complete before their jobs are published, and large ones, which grow meanwhile.
struct PlannedCopies: Sendable {
    private let groups: CopyGroups
    private let growing: GrowingCopies

    init(_ maker: JobMaker, _ interruption: Interruption) {
        groups = CopyGroups(maker, interruption)
        growing = GrowingCopies(maker, interruption)
    }

    /// The upload whose copy ended the making of further ones, though perhaps nothing has asked for it yet.
    var failure: JobMaker.FailedCopy? { groups.failure }

    /// Makes what has to be there before the first job is published (``JobMaker/begin(isAway:)``).
    func begin(isAway: Bool) async throws { try await groups.begin(isAway: isAway) }

    /// Returns when an upload's job may be published.
    func begin(_ index: Int) async throws(UploadError) {
        try await groups.finish(index)
        try await growing.begin(index)
    }

    /// Returns when an upload's copy, if it was begun or needs no beginning, is complete and durable.
    func finish(_ index: Int) async throws(UploadError) {
        try await groups.finish(index)
        try await growing.finish(index)
    }

    /// Ends copies whose jobs were not published.
    func cancel(_ indices: [Int]) async { await growing.cancel(indices) }
}
