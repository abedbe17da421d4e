import Testing
import UploadTesting
import Uploads

@Suite(.timeLimit(.minutes(10))) struct AsyncLockTests {
    @Test(arguments: [1, 3]) func `the lock lets in as many callers at a time as it has places`(places: Int) async {
        let lock = AsyncLock(places: places)
        let inside = Box((now: 0, most: 0))
        let tasks = (0..<50).map { _ in
            Task {
                await lock.withLock {
                    inside.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    await Task.yield()
                    inside.change { $0.now -= 1 }
                }
            }
        }
        for task in tasks { await task.value }
        #expect(inside.value.now == 0)
        #expect(inside.value.most <= places)
    }

    @Test func `a body that throws gives its place back`() async {
        let lock = AsyncLock()
        await #expect(throws: CancellationError.self) { try await lock.withLock { throw CancellationError() } }
        await lock.withLock {}
    }
}
