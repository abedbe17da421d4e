import Foundation
import Synchronization
import Testing
import UploadClient
import UploadTesting
import Uploads

/// Faults of the programs and of the broker while a transfer queue runs.
@Suite(.serialized, .timeLimit(.minutes(40))) struct TransferQueueFaultTests {
    private static let part = 8 << 20

    /// Runs the body with a bucket to which parts go slowly until the test lifts the limit, a file that takes seconds, and a
    /// broker of its own.
    private func with(
        _ body: (Deployment, S3Bucket, BrokerNode, _ notifier: RunningProgram, _ file: URL) async throws -> Void
    ) async throws {
        let bucket = try await S3Bucket.make()
        bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 1 << 20) }
        let node = try await BrokerNode.start()
        do {
            try await Deployment.with(broker: node, destinations: [bucket.destination()]) { deployment in
                let notifier = try deployment.start(.notifier)
                try deployment.start(.worker, ["--concurrency", "4", "--parts", "2"])
                let file = try deployment.makeFile("a", bytes: 20 * Self.part)
                try await body(deployment, bucket, node, notifier, file)
            }
        } catch {
            bucket.proxy.stop()
            try await node.stop()
            throw error
        }
        bucket.proxy.stop()
        try await node.stop()
    }

    private func kill(_ program: RunningProgram) async {
        program.signal(SIGKILL)
        _ = await program.wait()
    }

    @Test func sessionsGoOnInTheirOrderWhenBrokerAndNotifierAreKilled() async throws {
        try await with { deployment, bucket, node, notifier, file in
            try await deployment.withTransferQueue { queue in
                let a = try await queue.enqueue(file, to: "bucket")
                let b = try await queue.enqueue("b1", "b2")
                let c = try await queue.enqueue("c")
                let told = Mutex<[TransferQueueEvent]>([])
                let (before, events) = await queue.follow()
                let listening = Task { for await event in events { told.withLock { $0.append(event) } } }
                try await queue.start()
                try await eventually("a part is there") { !bucket.proxy.partsSent.isEmpty }
                try await queue.settle(within: .seconds(240))
                try await node.kill()
                // A change that is requested while the broker is unreachable is made when it is back.
                let d = try await queue.enqueue("d", at: .index(1))
                try await node.restart()
                await kill(notifier)
                #expect(await queue.state(of: c) == .queued)
                try deployment.start(.notifier)
                bucket.proxy.setRule { _ in .forward }
                try await queue.waitForState(.finished, of: a, b, c, d)
                try await eventually("all is told") {
                    told.withLock { $0.filter { $0.kind == .finished }.count == 4 }
                }
                let all = told.withLock { $0 }
                var shown = before
                for event in all { event.apply(to: &shown) }
                #expect(shown.map(\.id) == [a, d, b, c] && shown.allSatisfy { $0.state == .finished })
                #expect(all.filter { $0.kind == .finished }.map(\.session.id) == [a, d, b, c])
                for id in [a, b, c, d] {
                    let kinds = all.filter { $0.session.id == id }.map(\.kind)
                    #expect(kinds.filter { $0 == .didActivate }.count == 1, "\(kinds)")
                    #expect(kinds.filter { $0 == .didDeactivate }.count == 1, "\(kinds)")
                }
                listening.cancel()
            }
            try await deployment.waitForOutcomes(5)
            #expect(try deployment.completedKeys() == ["a", "d", "b1", "b2", "c"])
            #expect(try deployment.queryLedger("SELECT status, count(*) FROM jobs GROUP BY status") == ["completed|5"])
            #expect(try await bucket.observer.sha256(bucket.name, "a") == deployment.digests(of: [file]).first)
        }
    }

    @Test func anAppThatDiesWhileASessionGivesItsTurnBackLeavesNoLineStanding() async throws {
        try await with { deployment, bucket, _, notifier, file in
            let (a, b, c) = try await deployment.withTransferQueue { queue in
                let a = try await queue.enqueue(file, to: "bucket")
                let b = try await queue.enqueue("b")
                let c = try await queue.enqueue("c")
                try await queue.start()
                try await eventually("a part is there") { !bucket.proxy.partsSent.isEmpty }
                try await queue.waitForState(.running, of: a)
                try await queue.settle(within: .seconds(240))
                // Without the notifier no session is moved.
                await kill(notifier)
                try await queue.run(c)
                return (a, b, c)
            }
            try deployment.start(.notifier)
            let job = try #require(try deployment.queryLedger("SELECT id FROM jobs WHERE destination = 'bucket'").first)
            // As if the app had died at this point.
            try await deployment.control("pause", job, expecting: nil)
            try await deployment.waitForStatus("paused", of: job)
            bucket.proxy.setRule { _ in .forward }
            let free = try deployment.makeFile("free.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", free.path])
            #expect(try deployment.completedKeys() == ["free.bin"])
            try await deployment.withTransferQueue { queue in
                try await queue.waitForState(.finished, of: a, b, c)
            }
            try await deployment.waitForOutcomes(4)
            #expect(try deployment.completedKeys() == ["free.bin", "c", "a", "b"])
            #expect(try await bucket.observer.sha256(bucket.name, "a") == deployment.digests(of: [file]).first)
        }
    }
}
