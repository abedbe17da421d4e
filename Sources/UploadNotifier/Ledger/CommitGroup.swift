import Synchronization
import Uploads

/// Commits all items together that come while the last commit is under way: a commit waits for the disk, and costs as much for one
/// item as for many.
final class CommitGroup<Item: Sendable>: Sendable {
    private struct State {
        var waiting: [(item: Item, waiter: CheckedContinuation<Result<Void, UploadError>, Never>)] = []
        var isCommitting = false
    }

    private let state = Mutex(State())

    /// The number of items that wait for the next commit.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns when the item is durable.
    /// - Parameter commit: commits all items in one transaction; for items that come together, one caller's closure is called.
    /// - Throws: the error of the commit, which then failed for all its items.
    func add(
        _ item: Item, commit: @escaping @Sendable ([Item]) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        let result = await withCheckedContinuation { waiter in
            let isCommitting = state.withLock { state in
                state.waiting.append((item, waiter))
                defer { state.isCommitting = true }
                return state.isCommitting
            }
            if !isCommitting { Task { await self.commitAll(commit) } }
        }
        try result.get()
    }

    private func commitAll(_ commit: @Sendable ([Item]) async throws(UploadError) -> Void) async {
        while true {
            let group = state.withLock { state in
                defer { state.waiting = [] }
                state.isCommitting = !state.waiting.isEmpty
                return state.waiting
            }
            guard !group.isEmpty else { return }
            let result: Result<Void, UploadError>
            do throws(UploadError) {
                result = .success(try await commit(group.map(\.item)))
            } catch {
                result = .failure(error)
            }
            for (_, waiter) in group { waiter.resume(returning: result) }
        }
    }
}
