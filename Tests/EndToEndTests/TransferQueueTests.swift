import Foundation
import Synchronization
import Testing
import UploadClient
import UploadTesting
import Uploads

/// An app's transfer queue, with the programs as processes and the queue in this one.
@Suite(.serialized, .timeLimit(.minutes(40))) struct TransferQueueTests {
    private static let part = 8 << 20

    /// Runs the body with a bucket to which parts go slowly until the test lifts the limit, and a file that takes seconds.
    private func with(
        _ body: (Deployment, S3Bucket, _ file: URL) async throws -> Void
    ) async throws {
        let bucket = try await S3Bucket.make()
        bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 1 << 20) }
        try await Deployment.with(destinations: [bucket.destination()]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--concurrency", "4", "--parts", "2"])
            try await body(deployment, bucket, try deployment.makeFile("a", bytes: 20 * Self.part))
        }
        bucket.proxy.stop()
    }

    private func waitForFirstPart(_ bucket: S3Bucket) async throws {
        try await eventually("a part is there") { !bucket.proxy.partsSent.isEmpty }
    }

    private func expectArrived(_ file: URL, _ bucket: S3Bucket, _ deployment: Deployment) async throws {
        #expect(try await bucket.observer.sha256(bucket.name, "a") == deployment.digests(of: [file]).first)
    }

    @Test func sessionsRunInTheOrderOfTheListWithInsertionAtTheFrontAndAtAnIndex() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--concurrency", "4"])
            try await deployment.withTransferQueue { queue in
                let a = try await queue.enqueue("a1", "a2")
                let b = try await queue.enqueue("b")
                let c = try await queue.enqueue("c", at: .front)
                let d = try await queue.enqueue("d", at: .index(2))
                #expect(await queue.sessions.map(\.id) == [c, a, d, b])
                // A queue that was not started does nothing.
                #expect(await !queue.isStarted)
                let told = Mutex<[TransferQueueEvent]>([])
                let (before, events) = await queue.follow()
                let listening = Task { for await event in events { told.withLock { $0.append(event) } } }
                try await queue.start()
                try await queue.waitForState(.finished, of: a, b, c, d)
                var shown = before
                try await eventually("all is told") {
                    told.withLock { $0.filter { $0.kind == .finished }.count == 4 }
                }
                for event in told.withLock({ $0 }) { event.apply(to: &shown) }
                #expect(shown.map(\.id) == [c, a, d, b] && shown.allSatisfy { $0.state == .finished })
                #expect(told.withLock { $0.filter { $0.kind == .finished }.map(\.session.id) } == [c, a, d, b])
                listening.cancel()
            }
            try await deployment.waitForOutcomes(5)
            #expect(try deployment.completedKeys() == ["c", "a1", "a2", "d", "b"])
        }
    }

    @Test func aCancelledSessionStaysListedAndRunsAgainOnlyWhenItIsAsked() async throws {
        try await with { deployment, bucket, file in
            try await deployment.withTransferQueue { queue in
                let a = try await queue.enqueue(file, to: "bucket")
                let b = try await queue.enqueue("b")
                try await queue.start()
                try await waitForFirstPart(bucket)
                try await queue.waitForState(.running, of: a)
                let refused = await #expect(throws: UploadError.self) { try await queue.remove(a) }
                #expect(refused?.message.contains("cancel it") == true)
                let used = await #expect(throws: UploadError.self) { try await queue.remove(TransferAccount("bucket")) }
                #expect(used?.message.contains(a.uuidString.lowercased()) == true)
                try await queue.cancel(a)
                try await queue.waitForState(.cancelled, of: a)
                try await queue.waitForState(.finished, of: b)
                #expect(await queue.sessions.map(\.id) == [a, b])
                #expect(await queue.state(of: a) == .cancelled)
                bucket.proxy.setRule { _ in .forward }
                try await queue.run(a)
                try await queue.waitForState(.finished, of: a)
                try await queue.remove(a)
                try await queue.remove(TransferAccount("bucket"))
                #expect(await queue.sessions.map(\.id) == [b])
            }
            try await expectArrived(file, bucket, deployment)
        }
    }

    @Test func aSessionThatIsCancelledBeforeItsTurnEndsAtOnceAndWasNeverActive() async throws {
        try await with { deployment, bucket, file in
            try await deployment.withTransferQueue { queue in
                let told = Mutex<[TransferQueueEvent]>([])
                let events = await queue.events
                let listening = Task { for await event in events { told.withLock { $0.append(event) } } }
                let a = try await queue.enqueue(file, to: "bucket")
                // The first file travels inside its message, the second one is staged.
                let files = [("b1", 10), ("b2", 300_000)].map {
                    TransferFile(.data(Data(repeating: 7, count: $0.1)), to: $0.0)
                }
                let b = try await queue.enqueue(files, to: TransferAccount("local")).id
                try await queue.start()
                try await waitForFirstPart(bucket)
                try await queue.waitForState(.running, of: a)
                try await eventually("all wait in line") {
                    try deployment.queryLedger("SELECT count(*) FROM line") == ["3"]
                }
                let copy = try #require(
                    try deployment.queryLedger("SELECT staged FROM jobs WHERE key = 'b2' AND staged IS NOT NULL").first)
                let path = deployment.staging.appending(path: copy).path
                #expect(FileManager.default.fileExists(atPath: path))
                try await queue.cancel(b)
                try await queue.waitForState(.cancelled, of: b)
                try await eventually("its copy is gone") { !FileManager.default.fileExists(atPath: path) }
                #expect(await queue.state(of: a)?.isEnd == false)
                #expect(try deployment.queryLedger("SELECT count(*) FROM line") == ["1"])
                bucket.proxy.setRule { _ in .forward }
                try await queue.waitForState(.finished, of: a)
                // The worker has published no event of it, before or after its end.
                let kinds = "SELECT kind FROM events WHERE job IN (SELECT seq FROM jobs WHERE key IN ('b1', 'b2'))"
                #expect(try deployment.queryLedger(kinds) == ["cancelled", "cancelled"])
                try await eventually("all is told") { told.withLock { $0.contains { $0.kind == .finished } } }
                let ofB = told.withLock { $0.filter { $0.session.id == b }.map(\.kind) }
                #expect(ofB.filter { $0 != .changed } == [.added, .cancelled], "\(ofB)")
                try await queue.run(b)
                try await queue.waitForState(.finished, of: b)
                listening.cancel()
            }
            try await deployment.waitForOutcomes(5)
            #expect(try deployment.completedKeys() == ["a", "b1", "b2"])
            try await expectArrived(file, bucket, deployment)
        }
    }

    @Test func runningAnotherSessionInterruptsTheOneThatRunsAndGivesItsTurnBack() async throws {
        try await with { deployment, bucket, file in
            try await deployment.withTransferQueue { queue in
                let told = Mutex<[TransferQueueEvent]>([])
                let events = await queue.events
                let listening = Task { for await event in events { told.withLock { $0.append(event) } } }
                let a = try await queue.enqueue(file, to: "bucket")
                let b = try await queue.enqueue("b")
                let c = try await queue.enqueue("c")
                try await queue.start()
                try await waitForFirstPart(bucket)
                try await queue.waitForState(.running, of: a)
                try await queue.run(c)
                try await queue.waitForState(.finished, of: c)
                bucket.proxy.setRule { _ in .forward }
                try await queue.waitForState(.finished, of: a, b, c)
                // The session gave up its turn, and got it again.
                try await eventually("all is told") {
                    told.withLock { $0.filter { $0.kind == .finished }.count == 3 }
                }
                let ofA = told.withLock { $0.filter { $0.session.id == a }.map(\.kind) }
                #expect(ofA.filter { $0 == .didActivate }.count == 2, "\(ofA)")
                #expect(ofA.filter { $0 == .didDeactivate }.count == 2, "\(ofA)")
                listening.cancel()
            }
            try await deployment.waitForOutcomes(3)
            #expect(try deployment.completedKeys() == ["c", "a", "b"])
            try await expectArrived(file, bucket, deployment)
        }
    }

    @Test func aStoppedSessionIsInterruptedAndRunsAgainByItselfBehindTheOthers() async throws {
        try await with { deployment, bucket, file in
            try await deployment.withTransferQueue { queue in
                let a = try await queue.enqueue(file, to: "bucket")
                let b = try await queue.enqueue("b1", "b2")
                try await queue.start()
                try await waitForFirstPart(bucket)
                try await queue.waitForState(.running, of: a)
                try await queue.stop(a)
                try await queue.waitForState(.finished, of: b)
                bucket.proxy.setRule { _ in .forward }
                try await queue.waitForState(.finished, of: a, b)
            }
            try await deployment.waitForOutcomes(3)
            #expect(try deployment.completedKeys() == ["b1", "b2", "a"])
        }
    }

    @Test func aPausedSessionBlocksTheQueueUntilItIsResumed() async throws {
        try await with { deployment, bucket, file in
            try await deployment.withTransferQueue { queue in
                let a = try await queue.enqueue(file, to: "bucket")
                let b = try await queue.enqueue("b")
                try await queue.start()
                try await waitForFirstPart(bucket)
                try await queue.waitForState(.running, of: a)
                try await queue.pause(a)
                try await queue.waitForState(.active, of: a)
                // A session that could overtake it had enough time: another job came and went meanwhile.
                let free = try deployment.makeFile("free.bin", bytes: 1000)
                _ = try await deployment.enqueue(["--to", "local:", "--wait", free.path])
                #expect(await queue.state(of: b) == .queued)
                bucket.proxy.setRule { _ in .forward }
                try await queue.resume(a)
                try await queue.waitForState(.finished, of: a, b)
            }
            try await deployment.waitForOutcomes(3)
            #expect(try deployment.completedKeys().filter { $0 != "free.bin" } == ["a", "b"])
        }
    }

    @Test func aStoppedQueueKeepsItsOrderAndAnotherProgramPicksUpTheSameSession() async throws {
        try await with { deployment, bucket, file in
            let (ids, late) = try await deployment.withTransferQueue { queue in
                let a = try await queue.enqueue(file, to: "bucket")
                let b = try await queue.enqueue("b")
                try await queue.start()
                try await waitForFirstPart(bucket)
                try await queue.waitForState(.running, of: a)
                // No other program has the queue open.
                await #expect(throws: UploadError.self) { try await deployment.withTransferQueue { _ in } }
                try await queue.stop()
                try await queue.settle(within: .seconds(240))
                try await queue.waitForState(.active, of: a)
                let c = try await queue.enqueue("c", at: .index(1))
                let saved = try await queue.save(
                    [TransferFile(.data(Data("d".utf8)), to: "d")], to: TransferAccount("local"))
                return ([a, c, b], saved.id)
            }
            try await deployment.withTransferQueue { queue in
                bucket.proxy.setRule { _ in .forward }
                #expect(await queue.sessions.map(\.id) == ids)
                #expect(await queue.savedSessions.map(\.id) == [late])
                #expect(await !queue.isStarted)
                #expect(try deployment.toldOutcomes().isEmpty)
                try await queue.enqueue(late)
                try await queue.start()
                try await queue.waitForState(.finished, of: ids[0], ids[1], ids[2], late)
            }
            try await deployment.waitForOutcomes(4)
            #expect(try deployment.completedKeys() == ["a", "c", "b", "d"])
        }
    }

    @Test func theQueueGoesOnWhileTheProgramIsAwayAndFindsOutWhenItComesBack() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let ids = try await deployment.withTransferQueue { queue in
                let a = try await queue.enqueue("a")
                let b = try await queue.enqueue("b1", "b2")
                try await queue.start()
                try await queue.settle(within: .seconds(240))
                return [a, b]
            }
            try deployment.start(.worker)
            try await deployment.waitForOutcomes(3)
            try await deployment.withTransferQueue { queue in
                #expect(await queue.sessions.map(\.id) == ids)
                try await queue.waitForState(.finished, of: ids[0], ids[1])
            }
            #expect(try deployment.completedKeys() == ["a", "b1", "b2"])
        }
    }

    @Test func aProgramWithLittleTimeHandsEverythingOverAndGoesOnLater() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try await deployment.withTransferQueue { queue in
                let a = try await queue.enqueue("a")
                let b = try await queue.enqueue("b")
                // Without a worker nothing can end.
                let left = try await queue.run(for: .milliseconds(300))
                #expect(left.map(\.id) == [a, b])
                #expect(await !queue.isStarted)
                try deployment.start(.worker)
                let none = try await queue.run(for: .seconds(600))
                #expect(none.isEmpty)
                #expect(await queue.sessions.allSatisfy { $0.state == .finished })
            }
        }
    }

    @Test func whatWasStartedGoesOnWithoutTheProgramAndWhatRanForATimeDoesNot() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try await deployment.withTransferQueue { queue in
                _ = try await queue.enqueue("a")
                // Without a worker nothing can end.
                #expect(try await queue.run(for: .milliseconds(300)).count == 1)
            }
            let worker = try deployment.start(.worker, ["--queue", "default", "--queue", "other"])
            // A session that could run had enough time: another job came and went meanwhile.
            let free = try deployment.makeFile("free.bin", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--queue", "other", "--wait", free.path])
            #expect(try deployment.completedKeys() == ["free.bin"])
            await worker.stop()
            try await deployment.withTransferQueue { queue in
                try await queue.start()
                try await queue.settle(within: .seconds(240))
            }
            try deployment.start(.worker)
            try await deployment.waitForOutcomes(2)
            #expect(try deployment.completedKeys() == ["free.bin", "a"])
        }
    }

    @Test func filesAddedWhileASessionRunsFollowItsOthersAndItsTurnPassesOnWhileItWaits() async throws {
        try await with { deployment, bucket, file in
            let (a, c) = try await deployment.withTransferQueue { queue in
                let files = [TransferFile(.url(file), to: "a")]
                let a = try await queue.enqueue(files, to: TransferAccount("bucket"), staysOpen: true).id
                let b = try await queue.enqueue("b")
                let c = try await queue.enqueue("c")
                try await queue.start()
                try await waitForFirstPart(bucket)
                try await queue.settle(within: .seconds(240))
                let more = try deployment.makeFile("more", bytes: 100_000)
                try await queue.add([TransferFile(.url(more), to: "a2")], to: a)
                try FileManager.default.removeItem(at: more)
                let refused = await #expect(throws: UploadError.self) {
                    try await queue.add([TransferFile(.data(Data()), to: "x")], to: b)
                }
                #expect(refused?.code == .rejected)
                try await queue.settle(within: .seconds(240))
                bucket.proxy.setRule { _ in .forward }
                // The session waits for more files, and no other session waits for it.
                try await queue.waitForState(.finished, of: b, c)
                #expect(await queue.state(of: a) == .queued)
                return (a, c)
            }
            try await deployment.withTransferQueue { queue in
                try await queue.remove(c)
                try await queue.add([TransferFile(.data(Data("a3".utf8)), to: "a3")], to: a)
                try await eventually("all its files are there") {
                    await queue.sessions[0].files.map(\.state) == [.completed, .completed, .completed]
                }
                #expect(await queue.state(of: a) == .queued)
                try await queue.finish(a)
                #expect(await queue.state(of: a) == .finished)
            }
            try await deployment.waitForOutcomes(5)
            #expect(try deployment.completedKeys() == ["a", "a2", "b", "c", "a3"])
            try await expectArrived(file, bucket, deployment)
        }
    }
}
