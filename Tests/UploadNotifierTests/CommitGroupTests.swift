import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("Commits for many")
struct CommitGroupTests {
    @Test func `what comes while a commit is under way is committed together, in its order`() async throws {
        let group = CommitGroup<Int>()
        let commits = Mutex<[[Int]]>([])
        let (isBegun, mayEnd) = (Door(), Door())
        let commit: @Sendable ([Int]) async throws(UploadError) -> Void = { items in
            let isFirst = commits.withLock { commits in
                commits.append(items)
                return commits.count == 1
            }
            guard isFirst else { return }
            isBegun.open()
            await mayEnd.wait()
        }
        let done = Mutex<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for item in 0...20 {
                tasks.addTask {
                    try await group.add(item, commit: commit)
                    done.withLock { $0.append(item) }
                }
                if item == 0 { await isBegun.wait() }
                try await eventually("it waits") { group.waitingCount == item }
            }
            #expect(done.withLock { $0 }.isEmpty, "nothing is said to be done that is not")
            mayEnd.open()
            try await tasks.waitForAll()
        }
        #expect(commits.withLock { $0 } == [[0], Array(1...20)])
        #expect(done.withLock { $0 }.sorted() == Array(0...20))
    }

    @Test func `a commit that fails has failed for all in it, and for nobody after them`() async throws {
        let group = CommitGroup<Int>()
        let failing: @Sendable ([Int]) async throws(UploadError) -> Void = { _ throws(UploadError) in
            throw UploadError(.serverFailure, "the disk is full")
        }
        for item in 0..<3 {
            let error = await #expect(throws: UploadError.self) { try await group.add(item, commit: failing) }
            #expect(error?.message == "the disk is full")
        }
        try await group.add(3) { items in #expect(items == [3]) }
    }
}
