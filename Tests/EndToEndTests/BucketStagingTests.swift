import Foundation
import Logging
import Testing
import UploadClient
import UploadDestinations
import UploadEmbedded
import UploadTesting
import Uploads

/// A staging area in a bucket: no program reads a directory of another one.
@Suite(.serialized, .timeLimit(.minutes(40))) struct BucketStagingTests {
    private static let part = 8 << 20
    private static let options = ["--staging", "stage:copies/"]

    /// Runs the body with a deployment, whose copies go to the bucket behind a proxy, and its files to a directory.
    private func with(_ body: (Deployment, S3Bucket) async throws -> Void) async throws {
        let bucket = try await S3Bucket.make()
        try await Deployment.with(destinations: [bucket.destination(name: "stage")]) { deployment in
            try await body(deployment, bucket)
            #expect(!FileManager.default.fileExists(atPath: deployment.staging.path), "a directory was made")
        }
        bucket.proxy.stop()
    }

    private func copies(_ bucket: S3Bucket) async throws -> [String] {
        try await bucket.observer.listKeys(bucket.name).filter { $0 != "copies/longshore-area" }
    }

    private func expectNothingLeft(_ deployment: Deployment, _ bucket: S3Bucket) async throws {
        try await eventually("no copy is left") { try await copies(bucket).isEmpty }
        #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
        let spool = deployment.path.appending(path: ".local/state/longshore/spool")
        for folder in ["drafts", "outbox"] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: spool.appending(path: folder).path)
            #expect((names ?? []).isEmpty, "\(folder): \(names ?? [])")
        }
    }

    @Test func filesOfAllSizesTravelThroughABucketAndNothingIsLeft() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier, Self.options)
            let sizes = ["inline": 1000, "one": 100_000, "three": 20_000_000, "nine": 8 * Self.part + 123]
            let files = try sizes.mapValues { bytes in try deployment.makeFile("in/\(bytes)", bytes: bytes) }
            let folder = deployment.path.appending(path: "files/in")
            _ = try await deployment.enqueue(Self.options + ["--to", "local:", folder.path])
            let input = try deployment.makeFile("input", bytes: 10_000_000)
            _ = try await deployment.enqueue(Self.options + ["--to", "local:stream", "-"], input: input)
            // Of a copy of more than a block, the digests lie beside it.
            #expect(try await copies(bucket).count == 4 + 3)
            // Two uses of a key are one job, and the second copy goes at once.
            let keyed = try deployment.makeFile("keyed", bytes: 50_000)
            for _ in 0..<2 {
                _ = try await deployment.enqueue(
                    Self.options + ["--to", "local:", "--idempotency-key", "k", keyed.path])
            }
            #expect(try await copies(bucket).count == 4 + 3 + 1)
            try deployment.start(.worker, Self.options)
            let outcomes = try await deployment.waitForOutcomes(6)
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
            for (name, file) in files { try deployment.expectArrived("\(sizes[name] ?? 0)", like: file) }
            try deployment.expectArrived("stream", like: input)
            try deployment.expectArrived("keyed", like: keyed)
            try await expectNothingLeft(deployment, bucket)
        }
    }

    @Test func aProducerGoesOnWithTheCopyThatAKilledOneHasBegun() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier, Self.options)
            try deployment.start(.worker, Self.options)
            bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 24 << 20) }
            let parts = 24
            let file = try deployment.makeFile("large.bin", bytes: parts * Self.part)
            let arguments = Self.options + ["--to", "local:", file.path]
            let victim = try deployment.start(.enqueue, arguments)
            try await eventually("a third of the parts is there") { bucket.proxy.partsSent.count >= parts / 3 }
            victim.signal(SIGKILL)
            _ = await victim.wait()
            #expect(victim.outputText == "")
            #expect(bucket.proxy.partsSent.count < parts, "the copy was complete before the kill")
            // An interrupted producer leaves as much behind as a killed one.
            let before = bucket.proxy.partsSent.count
            let second = try deployment.start(.enqueue, arguments)
            try await eventually("some more are there") { bucket.proxy.partsSent.count >= before + 4 }
            second.signal(SIGINT)
            #expect(await second.wait() == 130, "\(second.errorText)")
            bucket.proxy.setRule { _ in .forward }

            let ids = try await deployment.enqueue(arguments)
            let outcome = try await deployment.waitForOutcome(of: try #require(ids.first))
            #expect(outcome["type"] as? String == "upload.completed")
            try deployment.expectArrived("large.bin", like: file)
            let sent = bucket.proxy.partsSent
            #expect(sent.count == parts)
            let again = sent.values.reduce(0) { $0 + $1 - 1 }
            #expect(again <= 8, "\(again) parts were sent again after two ends with four under way")
            try await expectNothingLeft(deployment, bucket)
        }
    }

    /// A step of a producer that copies a large file to the bucket.
    private struct Step: Sendable {
        let what: String
        /// Whether the producer dies when the server has answered; otherwise before the server gets the request.
        let isAnswered: Bool
        let matches: @Sendable (HTTPFaultProxy.Request) -> Bool

        static let all = [
            Step(what: "the fifth part", isAnswered: false) { $0.partNumber == 5 },
            Step(what: "the answer to the completion", isAnswered: true) {
                $0.method == "POST" && $0.query["uploadId"] != nil
            },
            Step(what: "the digests", isAnswered: false) { $0.method == "PUT" && $0.path.hasSuffix(".blocks") },
        ]
    }

    @Test func whereverAProducerIsKilledTheNextOneGoesOnAndNothingIsLeft() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier, Self.options)
            try deployment.start(.worker, Self.options)
            for (number, step) in Step.all.enumerated() {
                let file = try deployment.makeFile("file\(number)", bytes: 9 * Self.part - number)
                let arguments = Self.options + ["--to", "local:", file.path]
                let kill = KillSwitch()
                bucket.proxy.setRule { request in
                    guard step.matches(request), kill.claim() else { return .forward }
                    if step.isAnswered { return .forwardThenRun { kill.kill() } }
                    kill.kill()
                    return .cut
                }
                let victim = try deployment.start(.enqueue, arguments)
                kill.arm(victim)
                #expect(await victim.wait() != 0 && victim.outputText == "", "it was not killed at \(step.what)")
                bucket.proxy.setRule { _ in .forward }
                bucket.proxy.forget()
                let id = try #require(try await deployment.enqueue(arguments).first)
                let outcome = try await deployment.waitForOutcome(of: id)
                #expect(outcome["type"] as? String == "upload.completed", "after \(step.what)")
                try deployment.expectArrived("file\(number)", like: file)
                if number > 0 {
                    #expect(bucket.proxy.partsSent.isEmpty, "the whole copy was made anew after \(step.what)")
                }
            }
            try await expectNothingLeft(deployment, bucket)
        }
    }

    @Test func anAppsCopiesTravelThroughTheBucketToo() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier, Self.options)
            try deployment.start(.worker, Self.options)
            let name = try DestinationName("stage")
            let credentials = StaticCredentials(
                AWSCredentials(accessKeyID: bucket.server.accessKey, secretAccessKey: bucket.server.secretKey))
            let stage = try S3Destination(
                S3Configuration(endpoint: bucket.proxy.url, region: bucket.server.region, bucket: bucket.name),
                credentials: credentials)
            let manager = try await BrokerUploadManager(
                UploadIdentifier("app"), broker: BrokerAccess(deployment.broker.url), staging: name, prefix: "copies/",
                destinations: EmbeddedDestinations([name: stage]), spool: deployment.path.appending(path: "app"),
                namespace: deployment.namespace, shards: deployment.shards,
                logger: Logger(label: "app") { _ in SwiftLogNoOpLogHandler() })
            let file = try deployment.makeFile("file", bytes: 20_000_000)
            let local = try DestinationName("local")
            let large = try await manager.start(Upload(.url(file), to: .named(local, key: "large")))
            let data = try Data(contentsOf: file).prefix(100_000)
            let small = try await manager.start(Upload(.data(data), to: .named(local, key: "small")))
            for handle in [large, small] {
                guard case .completed = try await handle.ended() else {
                    throw UploadError(.unknown, "it did not complete")
                }
            }
            try deployment.expectArrived("large", like: file)
            #expect(try Data(contentsOf: deployment.uploaded.appending(path: "small")) == data)
            await manager.close()
            try await expectNothingLeft(deployment, bucket)
        }
    }

    @Test func aWorkerGoesOnWhereAKilledOneStopped() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier, Self.options)
            let parts = 24
            let file = try deployment.makeFile("large.bin", bytes: parts * Self.part)
            let ids = try await deployment.enqueue(Self.options + ["--to", "local:", file.path])
            bucket.proxy.forget()
            @Sendable func reads() -> Int { bucket.proxy.requests.count { $0.method == "GET" } }
            bucket.proxy.setRule { _ in reads() > parts / 2 ? .stallAnswer : .forward }
            let victim = try deployment.start(.worker, Self.options)
            try await eventually("half of the parts are read") { reads() > parts / 2 }
            victim.signal(SIGKILL)
            _ = await victim.wait()
            bucket.proxy.setRule { _ in .forward }
            bucket.proxy.forget()
            try deployment.start(.worker, Self.options)
            let outcome = try await deployment.waitForOutcome(of: try #require(ids.first))
            #expect(outcome["type"] as? String == "upload.completed")
            try deployment.expectArrived("large.bin", like: file)
            #expect(reads() < parts, "the second worker began anew: \(reads()) reads")
            try await expectNothingLeft(deployment, bucket)
        }
    }

    /// The staging area and the destination are buckets of one server. Only the digests of the blocks pass the workers.
    @Test func theStoreCopiesAndAnotherWorkerGoesOnWithTheCopy() async throws {
        let bucket = try await S3Bucket.make()
        let target = UniqueNames.make("bucket")
        try await bucket.observer.createBucket(target)
        let destinations = [
            bucket.destination(name: "stage"), bucket.destination(name: "neighbour", bucket: target),
        ]
        try await Deployment.with(destinations: destinations) { deployment in
            try deployment.start(.notifier, Self.options)
            let parts = 24
            let file = try deployment.makeFile("large.bin", bytes: parts * Self.part)
            let ids = try await deployment.enqueue(Self.options + ["--to", "neighbour:", file.path])
            bucket.proxy.forget()
            // Without the trial whether the server copies parts, and with the first ones of each worker, which OpenStack Swift refuses.
            @Sendable func copied() -> Int {
                bucket.proxy.requests.count {
                    $0.request.header("x-amz-copy-source") != nil
                        && $0.request.path.hasSuffix("/large.bin")
                }
            }
            bucket.proxy.setRule { _ in copied() > parts * 2 / 3 ? .stallAnswer : .forward }
            let victim = try deployment.start(.worker, Self.options)
            try await eventually("two thirds of the copies are asked for") { copied() > parts * 2 / 3 }
            victim.signal(SIGKILL)
            _ = await victim.wait()
            bucket.proxy.setRule { _ in .forward }
            let before = copied()
            try deployment.start(.worker, Self.options)
            let outcome = try await deployment.waitForOutcome(of: try #require(ids.first))
            #expect(outcome["type"] as? String == "upload.completed")
            let data = try #require(outcome["data"] as? [String: Any])
            #expect((data["object"] as? [String: Any])?["isServerSideCopy"] as? Bool == true)
            #expect(data["bytesSent"] as? Int == 0)
            #expect(copied() - before < parts, "the second worker began anew: \(copied() - before) copies")
            let bodies = bucket.proxy.requests.filter { $0.method == "PUT" }.reduce(0) { $0 + $1.bodyBytes }
            #expect(bodies == 0, "\(bodies) bytes passed a worker")
            let reads = bucket.proxy.requests.filter {
                $0.method == "GET" && $0.request.query.isEmpty && !$0.request.path.hasSuffix(".blocks")
                    && !$0.request.path.hasSuffix("longshore-area")
            }
            #expect(reads.isEmpty, "\(reads.map(\.target))")
            #expect(try await bucket.observer.sha256(target, "large.bin") == deployment.digests(of: [file]).first)
            try await expectNothingLeft(deployment, bucket)
        }
        bucket.proxy.stop()
    }

    /// The store of the staging area has a circuit of its own: its outage is not the destination's.
    @Test func anOutageOfTheStoreHoldsUpNoOtherJob() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier, Self.options)
            for number in 0..<20 { _ = try deployment.makeFile("staged/\(number)", bytes: 100_000) }
            let staged = deployment.path.appending(path: "files/staged")
            _ = try await deployment.enqueue(
                Self.options + ["--to", "local:", "--max-attempts", "3", staged.path])
            // The worker finds the area before the store fails.
            let worker = try deployment.start(.worker, Self.options + ["--concurrency", "4"])
            bucket.proxy.setRule { request in
                request.path.hasSuffix("longshore-area")
                    ? .forward : .answer(status: 500, body: "<Error><Code>InternalError</Code></Error>")
            }
            try await eventually("the circuit of the store opened several times") {
                try await Web.sum(of: "upload_circuit_openings_total", shownBy: worker) >= 3
            }
            let metrics = try await Web.page("http://127.0.0.1:\(try #require(worker.port))/metrics")
            #expect(metrics.contains("upload_circuit_openings_total{destination=\"stage\"}"))
            #expect(!metrics.contains("upload_circuit_openings_total{destination=\"local\"}"))
            let inline = try deployment.makeFile("inline", bytes: 1000)
            _ = try await deployment.enqueue(Self.options + ["--to", "local:", "--wait", inline.path])
            let waits = try deployment.queryLedger(
                "SELECT count(*) FROM events WHERE plain(body) LIKE '%the source is at ''stage''%'")
            #expect(Int(waits.first ?? "") ?? 0 > 0)
            bucket.proxy.setRule { _ in .forward }
            let outcomes = try await deployment.waitForOutcomes(21, within: .seconds(300))
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
            try await expectNothingLeft(deployment, bucket)
        }
    }

    @Test func aFailedJobKeepsItsCopyAndACancelledOneLosesIt() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier, Self.options)
            try deployment.start(.worker, Self.options)
            let file = try deployment.makeFile("file", bytes: 100_000)
            // A directory has the name of the object.
            let obstacle = deployment.uploaded.appending(path: "taken")
            try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
            let failed = try #require(
                try await deployment.enqueue(Self.options + ["--to", "local:taken", file.path]).first)
            #expect(try await deployment.waitForOutcome(of: failed)["type"] as? String == "upload.failed")
            #expect(try await copies(bucket).count == 1)
            try FileManager.default.removeItem(at: obstacle)
            try await deployment.control(["run", "--again", failed])
            try await eventually("it arrives") { FileManager.default.fileExists(atPath: obstacle.path) }
            try deployment.expectArrived("taken", like: file)

            let later = try #require(
                try await deployment.enqueue(Self.options + ["--to", "local:late", "--after", "1d", file.path]).first)
            try await deployment.control(["cancel", later])
            #expect(try await deployment.waitForOutcome(of: later)["type"] as? String == "upload.cancelled")
            try await expectNothingLeft(deployment, bucket)
        }
    }

    @Test func aStagingAreaThatCannotBeUsedIsToldAndNothingIsEnqueued() async throws {
        try await with { deployment, bucket in
            let file = try deployment.makeFile("file", bytes: 100_000)
            func refusal(_ staging: String) async throws -> (code: Int32, text: String) {
                let program = try await deployment.run(.enqueue, ["--staging", staging, "--to", "local:", file.path])
                #expect(program.outputText == "")
                return (await program.wait(), program.errorText)
            }
            let unknown = try await refusal("elsewhere:copies/")
            #expect(unknown.code == 78 && unknown.text.contains("no destination 'elsewhere' is configured here"))
            let odd = try await refusal("stage:copies")
            #expect(odd.code == 78 && odd.text.contains("a prefix with a slash at its end"), "\(odd.text)")
            bucket.proxy.setRule { _ in .answer(status: 403, body: "<Error><Code>AccessDenied</Code></Error>") }
            let denied = try await refusal("stage:copies/")
            #expect(denied.code == 77 && denied.text.contains("nothing was enqueued"), "\(denied.text)")
        }
    }
}
