import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("Commits for many")
struct CommitGroupTests {
    private final class Commits: Sendable {
        let lists = Mutex<[[Int]]>([])
        let isBegun = Door()
        let mayEnd = Door()

        /// The first commit lasts until `mayEnd` opens.
        func commit(_ items: [Int]) async {
            isBegun.open()
            if lists.withLock({ $0.isEmpty }) { await mayEnd.wait() }
            lists.withLock { $0.append(items) }
        }
    }

    @Test func `items that come while a commit is under way are committed together, in order, before the calls return`()
        async throws
    {
        let group = CommitGroup<Int>()
        let commits = Commits()
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for item in 0...20 {
                tasks.addTask {
                    try await group.add(item) { items in await commits.commit(items) }
                    return commits.lists.withLock { $0.joined().contains(item) }
                }
                if item == 0 { await commits.isBegun.wait() }
                try await eventually("it waits") { group.waitingCount == item }
            }
            commits.mayEnd.open()
            for try await isCommitted in tasks { #expect(isCommitted) }
        }
        #expect(commits.lists.withLock { $0 } == [[0], Array(1...20)])
    }

    @Test func `a commit that fails has failed for all its items, and for no later ones`() async throws {
        let group = CommitGroup<Int>()
        // The same for all, because a commit is made by the closure of whichever caller came first.
        let commit: @Sendable ([Int]) async throws(UploadError) -> Void = { items throws(UploadError) in
            guard items == [3] else { throw UploadError(.serverFailure, "the disk is full") }
        }
        for item in 0..<3 {
            let error = await #expect(throws: UploadError.self) { try await group.add(item, commit: commit) }
            #expect(error?.message == "the disk is full")
        }
        try await group.add(3, commit: commit)
    }
}
