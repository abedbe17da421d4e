import Foundation
import Testing
import UploadTesting

/// The programs with a bucket of OpenStack Swift.
@Suite(.serialized, .timeLimit(.minutes(40))) struct S3Tests {
    static let part = 8 << 20

    /// Runs the body with a deployment and its destination `bucket`, behind a proxy whose rules the test may set.
    private func with(
        more: String = "", _ body: (Deployment, S3Bucket) async throws -> Void
    ) async throws {
        let bucket = try await S3Bucket.make()
        try await Deployment.with(destinations: [bucket.destination(more: more)]) { try await body($0, bucket) }
        bucket.proxy.stop()
    }

    private func completed(_ deployment: Deployment, _ id: String) async throws -> [String: Any] {
        let outcomes = try await deployment.waitForOutcomes(1)
        #expect(outcomes.count == 1)
        #expect(outcomes.first?["type"] as? String == "upload.completed")
        #expect(outcomes.first?["subject"] as? String == id)
        return try #require(outcomes.first?["data"] as? [String: Any])
    }

    @Test func aThousandSmallObjectsArrive() async throws {
        try await with { deployment, bucket in
            try deployment.start(.worker)
            for number in 0..<1000 { _ = try deployment.makeFile("many/\(number) +%.bin", bytes: 4096) }
            let folder = deployment.path.appending(path: "files/many")
            let ids = try await deployment.enqueue(["--to", "bucket:a b/", "--wait", folder.path])
            #expect(Set(ids).count == 1000)
            let keys = try await bucket.observer.listKeys(bucket.name)
            #expect(Set(keys) == Set((0..<1000).map { "a b/\($0) +%.bin" }))
            for number in stride(from: 0, to: 1000, by: 97) {
                let file = folder.appending(path: "\(number) +%.bin")
                #expect(
                    try await bucket.observer.get(bucket.name, "a b/\(number) +%.bin")
                        == Array(try Data(contentsOf: file)))
            }
        }
    }

    /// 640 MiB; in the soak 5 GiB, the most that S3 takes in one request.
    @Test func aLargeFileWithHolesArrivesAndTheWorkerHoldsNoPartInMemory() async throws {
        try await with(more: ", partSize: 64MiB") { deployment, bucket in
            let worker = try deployment.start(.worker, ["--parts", "4"])
            let file = try deployment.makeFile("sparse.bin", bytes: 20 << 20)
            let isSoak = ProcessInfo.processInfo.environment["LONGSHORE_SOAK_MINUTES"] != nil
            let size = isSoak ? 5 << 30 : 640 << 20
            _ = try await Shell.run("truncate", "-s", "\(size)", file.path)
            _ = try await deployment.enqueue(["--to", "bucket:", "--wait", file.path])
            // Four parts at a time would take 256 MiB if they were in memory.
            #expect(try worker.residentBytesMaximum() < 160 << 20)
            #expect(try await bucket.observer.head(bucket.name, "sparse.bin")?.size == size)
            let digest = try await deployment.digests(of: [file])
            #expect(try await bucket.observer.sha256(bucket.name, "sparse.bin") == digest.first)
            #expect(bucket.proxy.partsSent.count == size / (64 << 20))
        }
    }

    @Test func afterAKillAnotherWorkerSendsOnlyThePartsInFlightAgain() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            // Slow enough on any machine for a kill in the middle of the upload.
            bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 24 << 20) }
            let parts = 24
            let file = try deployment.makeFile("large.bin", bytes: parts * Self.part)
            let victim = try deployment.start(.worker, ["--parts", "4"])
            let ids = try await deployment.enqueue(["--to", "bucket:", file.path])
            try await eventually("a third of the parts is there") { bucket.proxy.partsSent.count >= parts / 3 }
            victim.signal(SIGKILL)
            _ = await victim.wait()
            let before = bucket.proxy.partsSent.count
            #expect(before < parts, "the upload ended before the kill")
            try deployment.start(.worker, ["--parts", "4"])
            _ = try await completed(deployment, try #require(ids.first))
            let sent = bucket.proxy.partsSent
            #expect(sent.count == parts)
            let again = sent.values.reduce(0) { $0 + $1 - 1 }
            #expect(again <= 4, "\(again) parts were sent again")
            #expect(
                try await bucket.observer.sha256(bucket.name, "large.bin") == deployment.digests(of: [file]).first)
            #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
        }
    }

    @Test func aLostAnswerToCompleteIsOneOutcomeAndNoAttempt() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            bucket.proxy.setRule { request in
                request.method == "POST" && request.query["uploadId"] != nil ? .forwardThenCut : .forward
            }
            let file = try deployment.makeFile("lost.bin", bytes: 3 * Self.part)
            let ids = try await deployment.enqueue(["--to", "bucket:", "--wait", file.path])
            let data = try await completed(deployment, try #require(ids.first))
            #expect(data["attempts"] as? Int == 0)
            #expect(data["bytesSent"] as? Int == 3 * Self.part)
        }
    }

    @Test func throttlingDelaysJobsAndLosesNone() async throws {
        try await with { deployment, bucket in
            try deployment.start(.worker)
            bucket.proxy.setRule { request in
                request.number % 5 == 0
                    ? .answer(status: 503, body: "<Error><Code>SlowDown</Code></Error>") : .forward
            }
            for number in 0..<30 { _ = try deployment.makeFile("some/\(number)", bytes: 1000) }
            let folder = deployment.path.appending(path: "files/some")
            _ = try await deployment.enqueue(["--to", "bucket:", "--wait", folder.path])
            #expect(try await bucket.observer.listKeys(bucket.name).count == 30)
        }
    }

    /// One part: PutObject. Three: CreateMultipartUpload, UploadPart three times, CompleteMultipartUpload.
    @Test func filesCostTheRequestsThatTheyNeed() async throws {
        try await with(more: ", conditions: all") { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            for (name, bytes, methods) in [
                ("one", 5000, ["PUT"]), ("three", 3 * Self.part, ["POST", "PUT", "PUT", "PUT", "POST"]),
            ] {
                let file = try deployment.makeFile("\(name).bin", bytes: bytes)
                bucket.proxy.forget()
                _ = try await deployment.enqueue(["--to", "bucket:\(name)", "--wait", file.path])
                #expect(bucket.proxy.requests.map(\.method) == methods)
                #expect(try await bucket.observer.head(bucket.name, name)?.size == bytes)
            }
            // The condition of the last request notices the existing object, and replaces it.
            let file = try deployment.makeFile("again.bin", bytes: 3 * Self.part)
            bucket.proxy.forget()
            _ = try await deployment.enqueue(["--to", "bucket:three", "--wait", file.path])
            #expect(bucket.proxy.partsSent == [1: 1, 2: 1, 3: 1])
            #expect(
                try await bucket.observer.get(bucket.name, "three") == Array(try Data(contentsOf: file)))
        }
    }

    @Test func aNewerJobsObjectIsNotOverwritten() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let older = try deployment.makeFile("older.bin", bytes: 6 * Self.part)
            let newer = try deployment.makeFile("newer.bin", bytes: 5000)
            // The older job's last part is still on its way when the newer job completes.
            bucket.proxy.setRule { $0.partNumber == 6 ? .throttle(bytesPerSecond: 1 << 20) : .forward }
            let ids = try await deployment.enqueue(["--to", "bucket:same", older.path])
            try await eventually("all other parts are there") { bucket.proxy.partsSent.count >= 5 }
            let newIDs = try await deployment.enqueue(["--to", "bucket:same", newer.path])
            let outcomes = try await deployment.waitForOutcomes(2)
            #expect(outcomes.map { $0["subject"] as? String } == [newIDs.first, ids.first])
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
            let object = (outcomes.last?["data"] as? [String: Any])?["object"] as? [String: Any]
            #expect(object?["isOvertaken"] as? Bool == true)
            #expect(
                try await bucket.observer.get(bucket.name, "same") == Array(try Data(contentsOf: newer)))
        }
    }

    @Test func whatExistsIsKeptOrRefusedOrReplaced() async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            try await bucket.observer.put(bucket.name, "there", [1, 2, 3])
            let file = try deployment.makeFile("file", bytes: 2 * Self.part + 5)
            _ = try await deployment.enqueue(["--to", "bucket:there", "--if-exists", "skip", "--wait", file.path])
            #expect(try await bucket.observer.get(bucket.name, "there") == [1, 2, 3])
            let refused = try await deployment.run(
                .enqueue, ["--to", "bucket:there", "--if-exists", "fail", "--wait", file.path])
            #expect(await refused.wait() == 1)
            #expect(refused.errorText.contains("bucket:there already lies there"))
            #expect(try await bucket.observer.get(bucket.name, "there") == [1, 2, 3])
            #expect(bucket.proxy.bodyBytesSent == 0, "nothing was sent for what was there")
            _ = try await deployment.enqueue(["--to", "bucket:there", "--if-exists", "replace", "--wait", file.path])
            #expect(try await bucket.observer.head(bucket.name, "there")?.size == 2 * Self.part + 5)
            _ = try await deployment.enqueue(["--to", "bucket:new", "--if-exists", "fail", "--wait", file.path])
            #expect(try await bucket.observer.head(bucket.name, "new")?.size == 2 * Self.part + 5)
        }
    }

    @Test func credentialsThatExpireInTheMiddleAreReplacedWithoutARestart() async throws {
        let bucket = try await S3Bucket.make()
        let scratch = try TemporaryDirectory()
        let server = bucket.server
        try scratch.write(Array(server.accessKey.utf8), to: "id")
        try scratch.write(Array(server.secretKey.utf8), to: "secret")
        let destination = bucket.destination(
            id: "file:\(scratch.path("id"))", secret: "file:\(scratch.path("secret"))")
        try await Deployment.with(destinations: [destination]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--parts", "2"])
            let old = "=\(server.accessKey)/"
            bucket.proxy.setRule { request in
                guard let part = request.partNumber else { return .forward }
                if part > 4, request.header("authorization")?.contains(old) == true {
                    return .answer(status: 400, body: "<Error><Code>ExpiredToken</Code></Error>")
                }
                return .throttle(bytesPerSecond: 16 << 20)
            }
            let file = try deployment.makeFile("rotated.bin", bytes: 8 * Self.part)
            let ids = try await deployment.enqueue(["--to", "bucket:", file.path])
            try await eventually("some parts are there") { bucket.proxy.partsSent.count >= 2 }
            try scratch.write(Array(server.secondAccessKey.utf8), to: "id")
            try scratch.write(Array(server.secondSecretKey.utf8), to: "secret")
            _ = try await completed(deployment, try #require(ids.first))
            #expect(
                try await bucket.observer.sha256(bucket.name, "rotated.bin") == deployment.digests(of: [file]).first)
        }
        bucket.proxy.stop()
    }

    @Test func jobsWaitForACorrectSecretAndABucketAndSayWhatToDo() async throws {
        let bucket = try await S3Bucket.make()
        let wrong = bucket.destination(name: "wrong", secret: "not-the-secret-swordfish")
        let missing = bucket.destination(name: "missing", bucket: "there-is-no-such-bucket")
        try await Deployment.with(destinations: [wrong, missing]) { deployment in
            let notifier = try deployment.start(.notifier)
            let worker = try deployment.start(.worker)
            let api = "http://127.0.0.1:\(try #require(notifier.port))"
            let file = try deployment.makeFile("file", bytes: 3 * Self.part)
            for (name, hint) in [("wrong", "secretAccessKey"), ("missing", "create it")] {
                let id = try #require(try await deployment.enqueue(["--to", "\(name):x", file.path]).first)
                try await eventually("it waits") {
                    try deployment.queryLedger("SELECT status FROM jobs WHERE id = '\(id)'").first == "waiting"
                }
                let story = try await deployment.control("job", id, "--api", api).outputText
                #expect(story.contains(hint) && !story.contains("swordfish"), "\(story)")
            }
            #expect(!worker.errorText.contains("swordfish"))
            #expect(try deployment.toldOutcomes().isEmpty)
        }
        bucket.proxy.stop()
    }
}
