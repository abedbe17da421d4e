import Foundation
import Synchronization
import Testing
import UploadClient
import UploadTesting
import Uploads

/// An app's manager over the broker, with the programs as processes and the manager in this one.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ClientTests {
    /// A slow destination.
    private static func slow(_ folder: TemporaryDirectory) -> String {
        "slow: {driver: directory, path: \(folder.path), limits: {bytesPerSecond: 4MiB}}"
    }

    @Test func anUploadShowsItsProgressAndGivesWhatTheServerAnswered() async throws {
        let folder = try TemporaryDirectory()
        let server = try HTTPFaultProxy(to: nil) { request in
            request.method == "PUT"
                ? .answer(status: 201, headers: [("X-Request-ID", "r-1")], body: "delete-hash: 42")
                : .answer(status: 404)
        }
        try await Deployment.with(destinations: [Self.slow(folder)]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            try await deployment.withManager { manager in
                let file = try deployment.makeFile("film.mp4", bytes: 24 << 20)
                let copy = deployment.path.appending(path: "original.mp4")
                try FileManager.default.copyItem(at: file, to: copy)
                let handle = try await manager.upload(copy, to: "slow:film.mp4", info: UploadInfo(title: "A film"))
                try FileManager.default.removeItem(at: copy)
                let seen = Mutex<[Int64]>([])
                let watching = Task {
                    for await update in handle.updates where update.status.isRunning {
                        seen.withLock { $0.append(update.bytesDone) }
                    }
                }
                let receipt = try await handle.completed()
                await watching.value
                #expect(receipt.object.size == 24 << 20)
                #expect(seen.withLock { $0 }.contains { 0 < $0 && $0 < 24 << 20 }, "no progress was shown")
                let digests = try await deployment.digests(of: [file, folder.url.appending(path: "film.mp4")])
                #expect(digests[0] == digests[1])
                #expect(handle.latest.fractionDone == 1)
                // The manager also finds the upload after its end.
                let known = try #require(try await manager.handle(for: handle.id))
                #expect(try await known.completed().object == receipt.object)

                let answered = try await manager.start(
                    try Upload(.data(Data("hello".utf8)), to: "\(server.url)/hello.txt"))
                let response = try #require(try await answered.completed().response)
                #expect(response.status == 201)
                #expect(response.body == "delete-hash: 42")
                #expect(try await manager.uploads().isEmpty)
            }
        }
        server.stop()
    }

    @Test func whatEndedWhileNobodyRanIsToldOnceUnderOneID() async throws {
        try await Deployment.with { deployment in
            let started = try await deployment.withManager { manager in
                var ids: [JobID] = []
                for index in 0..<5 {
                    let file = try deployment.makeFile("\(index).bin", bytes: index == 0 ? 300_000 : 1000)
                    ids.append(try await manager.upload(file, to: "local:\(index).bin").id)
                }
                return ids
            }
            try deployment.start(.worker)
            try deployment.start(.notifier)
            try await deployment.waitForDelivered(5)
            let first = TellingDelegate()
            try await deployment.withManager { manager in
                try await manager.setDelegate(first)
                _ = try await manager.handlePendingEvents()
                #expect(Set(first.ids) == Set(started.map { "\($0).1.ended" }))
                #expect(first.told.allSatisfy { $0.isCompleted })
                #expect(try await manager.handlePendingEvents() == 0)
                #expect(first.ids.count == 5)
            }
            // No outcome is left for a second delegate.
            let second = TellingDelegate()
            try await deployment.withManager { manager in
                try await manager.setDelegate(second)
                #expect(try await manager.handlePendingEvents() == 0)
            }
            #expect(second.ids.isEmpty)
            #expect(first.ids.count == 5)
        }
    }

    @Test func operatorsSeeAnAppAmongTheDelegatesAndRemoveItUntilItsNextUpload() async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            let api = "http://127.0.0.1:\(try #require(notifier.port))"
            try deployment.start(.worker)
            try await deployment.withManager("shop") { manager in
                _ = try await manager.start(try Upload(.data(Data("a".utf8)), to: "local:a")).completed()
                try await deployment.waitForDelivered(1, to: "shop")
                let list = try await deployment.control("delegate", "list", "--api", api)
                #expect(list.outputText.contains("client-shop"))
                let shown = try await deployment.control("delegate", "show", "client-shop", "--api", api)
                #expect(shown.outputText.contains("app") && shown.outputText.contains("shop"))
                try await deployment.control("delegate", "remove", "client-shop", "--yes", "--api", api)
                try await deployment.control("delegate", "show", "client-shop", "--api", api, expecting: 66)
                _ = try await manager.start(try Upload(.data(Data("b".utf8)), to: "local:b")).completed()
                try await deployment.waitForDelivered(2, to: "shop")
                try await deployment.control("delegate", "show", "client-shop", "--api", api)
            }
        }
    }

    @Test func programsOfOneIdentifierShareTheirUploads() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try await deployment.withManager { app in
                try await deployment.withManager { share in
                    let delegate = TellingDelegate()
                    try await app.setDelegate(delegate)
                    let handle = try await share.start(try Upload(.data(Data("shared".utf8)), to: "local:shared.txt"))
                    #expect(try await app.uploads().map(\.id) == [handle.id])
                    let seen = try #require(try await app.handle(for: handle.id))
                    try deployment.start(.worker)
                    _ = try await handle.completed()
                    _ = try await seen.completed()
                    try await eventually("the one who started it has taken it") {
                        try await share.handlePendingEvents() == 0
                    }
                    // The program that started it still runs and has received the outcome.
                    #expect(delegate.ids.isEmpty)
                    #expect(try await app.uploads().isEmpty)
                }
                // The program that started this upload has ended, so any program with a delegate receives the outcome.
                let orphan = try await deployment.withManager { share in
                    try await share.start(try Upload(.data(Data("orphan".utf8)), to: "local:orphan.txt")).id
                }
                let delegate = TellingDelegate()
                try await app.setDelegate(delegate)
                try await eventually("the delegate is told") {
                    delegate.ids.contains("\(orphan).1.ended")
                }
            }
        }
    }

    @Test func theBrokerMayBeAwayAtTheStartAndDieInBetween() async throws {
        let folder = try TemporaryDirectory()
        let broker = try await BrokerNode.start(configuration: "heartbeat = 5\n")
        do {
            try await Deployment.with(broker: broker, destinations: [Self.slow(folder)]) { deployment in
                try await broker.kill()
                try await deployment.withManager { manager in
                    let early = try await manager.start(
                        try Upload(.data(Data(repeating: 7, count: 100_000)), to: "local:early.bin"))
                    #expect(try Self.outbox(deployment) == ["\(early.id).json"])
                    let refused = await #expect(throws: UploadError.self) { try await manager.handlePendingEvents() }
                    #expect(refused?.code == .networkFailure)

                    try await broker.restart()
                    try deployment.start(.notifier)
                    try deployment.start(.worker)
                    _ = try await early.completed()
                    #expect(try Self.outbox(deployment) == [])

                    let file = try deployment.makeFile("running.bin", bytes: 24 << 20)
                    let running = try await manager.upload(file, to: "slow:running.bin")
                    try await eventually("it runs") { running.latest.status.isRunning }
                    try await broker.kill()
                    let late = try await manager.start(
                        try Upload(.data(Data(repeating: 8, count: 100_000)), to: "local:late.bin"))
                    try await broker.restart()
                    _ = try await running.completed()
                    _ = try await late.completed()
                    let delegate = TellingDelegate()
                    try await manager.setDelegate(delegate)
                    #expect(try await manager.uploads().isEmpty)
                }
            }
        } catch {
            try await broker.stop()
            throw error
        }
        try await broker.stop()
    }

    @Test func theNotifierMayDieInBetween() async throws {
        try await Deployment.with { deployment in
            let notifier = try deployment.start(.notifier)
            try deployment.start(.worker)
            let delegate = TellingDelegate()
            try await deployment.withManager { manager in
                try await manager.setDelegate(delegate)
                let before = try await manager.start(try Upload(.data(Data("1".utf8)), to: "local:1"))
                _ = try await before.completed()
                notifier.signal(SIGKILL)
                _ = await notifier.wait()
                // A worker's `completed` is enough; the ledger need not confirm it.
                let between = try await manager.start(try Upload(.data(Data("2".utf8)), to: "local:2"))
                _ = try await between.completed()
                let blocker = try deployment.makeFile("blocker", bytes: 1)
                try FileManager.default.moveItem(
                    at: blocker, to: deployment.uploaded.appending(path: "blocked"))
                let failing = try await manager.start(try Upload(.data(Data("3".utf8)), to: "local:blocked/3"))
                try deployment.start(.notifier)
                _ = try await failing.failed()
                try await deployment.waitForDelivered(3)
                _ = try await manager.handlePendingEvents()
                try await eventually("all three are told") { delegate.ids.count >= 3 }
                #expect(
                    delegate.ids.sorted() == [before.id, between.id, failing.id].map { "\($0).1.ended" }.sorted())
            }
        }
    }

    @Test func aFailedUploadIsResumedFromItsStateByAnotherManager() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let blocker = try deployment.makeFile("blocker", bytes: 1)
            let blocked = deployment.uploaded.appending(path: "blocked")
            try FileManager.default.moveItem(at: blocker, to: blocked)
            let file = try deployment.makeFile("a.bin", bytes: 200_000)
            let encoded = try await deployment.withManager { manager in
                let failure = try await manager.upload(file, to: "local:blocked/a.bin").failed()
                return try JSONEncoder().encode(try #require(failure.state))
            }
            try FileManager.default.removeItem(at: blocked)
            let state = try JSONDecoder().decode(ResumableUpload.self, from: encoded)
            try await deployment.withManager { manager in
                let handle = try await manager.resume(with: state)
                #expect(handle.id == state.id)
                _ = try await handle.completed()
                try deployment.expectArrived("blocked/a.bin", like: file)
                try await deployment.waitForDelivered(2)
                let again = await #expect(throws: UploadError.self) { try await manager.resume(with: state) }
                #expect(again?.code == .rejected)
                let nobody = ResumableUpload(
                    job: UploadJob(source: .inline(Data()), destination: .url("https://host.example/x"), size: 0),
                    round: 1, state: nil)
                let unknown = await #expect(throws: UploadError.self) { try await manager.resume(with: nobody) }
                #expect(unknown?.code == .rejected)
            }
        }
    }

    @Test func anUploadIsPausedResumedAndCancelled() async throws {
        let folder = try TemporaryDirectory()
        try await Deployment.with(destinations: [Self.slow(folder)]) { deployment in
            try deployment.start(.notifier)
            try await deployment.withManager { manager in
                let file = try deployment.makeFile("a.bin", bytes: 100_000)
                let handle = try await manager.upload(file, to: "local:a.bin")
                try await handle.pause()
                try deployment.start(.worker)
                try await eventually("it is paused") { handle.latest.status.isPaused }
                // The upload already runs, so no new one begins.
                let state = ResumableUpload(job: try await Self.job(of: handle, manager), round: 1, state: nil)
                let resumed = try await manager.resume(with: state)
                #expect(resumed.id == handle.id)
                try await handle.resume()
                _ = try await handle.completed()
                try deployment.expectArrived("a.bin", like: file)
                let late = await #expect(throws: UploadError.self) { try await handle.pause() }
                #expect(late?.code == .rejected)

                let big = try deployment.makeFile("big.bin", bytes: 64 << 20)
                let running = try await manager.upload(big, to: "slow:big.bin")
                try await eventually("it runs") { running.latest.status.isRunning }
                try await running.cancel()
                let end = try await running.ended()
                #expect(end.isCancelled)
                #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "big.bin").path))
            }
        }
    }

    @Test func whatAnOrderLeadsToIsSeenThoughTheBrokerWasReachedOnlyThen() async throws {
        try await Deployment.with { deployment in
            let proxy = try AMQPFaultProxy(to: deployment.broker.port)
            defer { proxy.stop() }
            let notifier = try deployment.start(.notifier)
            let url = "http://127.0.0.1:\(try #require(notifier.port))/readyz"
            try await eventually("the notifier is ready") {
                try await Web.page(url) == "ready\n"
            }
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            proxy.stall()
            try await deployment.withManager(url: proxy.url) { manager in
                // The job is kept in the outbox, and published before the order.
                let handle = try await manager.upload(file, to: "local:a.bin")
                async let pausing: Void = handle.pause()
                proxy.heal()
                try await pausing
                try deployment.start(.worker)
                try await eventually("it is paused") { handle.latest.status.isPaused }
            }
        }
    }

    @Test func unfinishedUploadsAreSavedAndTakenUpAgainWithoutDoubling() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let (saved, ids) = try await deployment.withManager { manager in
                var ids: [JobID] = []
                for index in 0..<3 {
                    let file = try deployment.makeFile("\(index).bin", bytes: 50_000)
                    ids.append(try await manager.upload(file, to: "local:\(index).bin").id)
                }
                return (try JSONEncoder().encode(try await manager.saveExecutingUploads()), ids)
            }
            try await deployment.withManager { manager in
                let handles = try await manager.restoreUploads(
                    from: try JSONDecoder().decode(SavedUploads.self, from: saved))
                #expect(handles.map(\.id).sorted() == ids.sorted())
                try deployment.start(.worker)
                for handle in handles { _ = try await handle.completed() }
                // An upload that has ended meanwhile delivers its outcome.
                let again = try await manager.restoreUploads(
                    from: try JSONDecoder().decode(SavedUploads.self, from: saved))
                for handle in again { _ = try await handle.completed() }
                #expect(again.count == 3)
            }
            try await deployment.waitForOutcomes(3)
            try await deployment.waitForLedger()
            #expect(try deployment.queryLedger("SELECT count(*) FROM jobs") == ["3"])
            #expect(try deployment.toldOutcomes().count == 3)
        }
    }

    private static func outbox(_ deployment: Deployment) throws -> [String] {
        let folder = deployment.staging.appending(path: "outbox")
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
    }

    private static func job(of handle: UploadHandle, _ manager: BrokerUploadManager) async throws -> UploadJob {
        let saved = try await manager.saveExecutingUploads()
        return try #require(saved.uploads.first { $0.id == handle.id }).job
    }
}
