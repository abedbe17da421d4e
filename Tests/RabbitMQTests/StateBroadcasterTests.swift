import Foundation
import Testing
import UploadTesting

@testable import RabbitMQ

@Suite(.timeLimit(.minutes(10)))
struct StateBroadcasterTests {
    @Test func `Listeners hear the current state first, then all that follow, and the end`() async {
        let broadcaster = StateBroadcaster()
        broadcaster.publish(.connected(epoch: 1))
        let early = broadcaster.listen()
        broadcaster.publish(.connected(epoch: 2))
        broadcaster.publish(.closed)
        broadcaster.publish(.connected(epoch: 3))
        #expect(await heard(early) == ["connected(epoch: 1)", "connected(epoch: 2)", "closed"])
        #expect(await heard(broadcaster.listen()) == ["closed"])
    }

    private func heard(_ states: AsyncStream<ConnectionState>) async -> [String] {
        var heard: [String] = []
        for await state in states { heard.append("\(state)") }
        return heard
    }

    /// Publishing a state and cancelling a listener each take both locks, in opposite orders.
    @Test func `Listeners may be cancelled while a state is told`() async throws {
        try await limited("listeners are cancelled while they are told") {
            for _ in 0..<200 {
                let broadcaster = StateBroadcaster()
                let listening = (0..<8).map { _ in Task { for await _ in broadcaster.listen() {} } }
                broadcaster.publish(.connected(epoch: 1))
                await Task.yield()
                Thread.detachNewThread { broadcaster.publish(.closed) }
                // On a thread of its own, because the time limit needs the tasks' threads if these hang.
                Thread.detachNewThread { for task in listening { task.cancel() } }
                for task in listening { await task.value }
            }
        }
    }
}
