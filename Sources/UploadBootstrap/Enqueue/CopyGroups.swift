import Synchronization
import UploadSources
import Uploads

/// The copies that are complete before their jobs are published, made group after group, so that workers begin with the first files while
/// the last ones are not copied yet, and the staging area need not hold all of them at once.
final class CopyGroups: Sendable {
    private struct State {
        /// Where the next group begins; nil once all copies are made.
        var next: Int? = 0
        var failure: JobMaker.FailedCopy?
    }

    private let maker: JobMaker
    private let interruption: Interruption
    private let making = AsyncLock()
    private let state = Mutex(State())

    init(_ maker: JobMaker, _ interruption: Interruption) {
        self.maker = maker
        self.interruption = interruption
    }

    /// The upload whose copy could not be made, so that no further one is made.
    var failure: JobMaker.FailedCopy? { state.withLock { $0.failure } }

    /// Makes what has to be there before the first job is published (``JobMaker/begin(isAway:)``).
    func begin(isAway: Bool) async throws {
        let next = try await interruption.cancelling { [maker] in try await maker.begin(isAway: isAway) }
        state.withLock { $0.next = next }
    }

    /// Returns when an upload's copy is durable; makes further groups if need be.
    /// - Throws: the error of the copy; `interrupted` if it was not made because of another one or of an interruption.
    func finish(_ index: Int) async throws(UploadError) {
        guard !isMade(index), try maker.plan.file.row(at: index).reading == .before else { return }
        try await making.withLock { () async throws(UploadError) in
            while !isMade(index) {
                if let failure { throw failure.position == index ? failure.error : .unmade }
                await makeGroup()
            }
        }
    }

    private func isMade(_ index: Int) -> Bool { state.withLock { state in state.next.map { index < $0 } ?? true } }

    private func makeGroup() async {
        guard let start = state.withLock({ $0.next }) else { return }
        do {
            let next = try await interruption.cancelling { [maker] in try await maker.makeGroup(from: start) }
            state.withLock { $0.next = next }
        } catch {
            let failure = error as? JobMaker.FailedCopy ?? JobMaker.FailedCopy(position: start, error: .unmade)
            state.withLock { $0.failure = failure }
        }
    }
}

extension UploadError {
    fileprivate static let unmade = UploadError(.interrupted, "copying has ended before this file's turn")
}
