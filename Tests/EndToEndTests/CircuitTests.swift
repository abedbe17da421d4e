import Foundation
import Testing
import UploadTesting

/// A destination that fails for a while, and a destination with limits on its requests.
@Suite(.serialized, .timeLimit(.minutes(40))) struct CircuitTests {
    private func with(
        limits: String = "", _ body: (Deployment, S3Bucket) async throws -> Void
    ) async throws {
        let bucket = try await S3Bucket.make()
        // Inserts the limits into the destination's YAML mapping.
        let line = bucket.destination().replacing("{driver: s3,", with: "{driver: s3, \(limits)")
        try await Deployment.with(destinations: [line]) { try await body($0, bucket) }
        bucket.proxy.stop()
    }

    private func attempts(_ deployment: Deployment) throws -> [Int] {
        try deployment.toldOutcomes().compactMap { ($0["data"] as? [String: Any])?["attempts"] as? Int }
    }

    @Test(arguments: [
        HTTPFaultProxy.Action.answer(status: 500, body: "<Error><Code>InternalError</Code></Error>"), .cut,
    ])
    func jobsOfADestinationThatFailsWaitAndOthersGoOn(failing: HTTPFaultProxy.Action) async throws {
        try await with { deployment, bucket in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker, ["--concurrency", "4"])
            bucket.proxy.setRule { _ in failing }
            for number in 0..<20 { _ = try deployment.makeFile("bad/\(number)", bytes: 1000) }
            let bad = deployment.path.appending(path: "files/bad")
            let ids = try await deployment.enqueue(["--to", "bucket:", "--max-attempts", "3", bad.path])
            #expect(ids.count == 20)
            try await eventually("the circuit opens") {
                worker.errorText.contains("A destination cannot be used")
            }
            // This lasts longer than three attempts: every failed trial opens the circuit again.
            try await eventually("it opened several times") {
                try await Web.sum(of: "upload_circuit_openings_total", shownBy: worker) >= 4
            }
            let metrics = try await Web.page("http://127.0.0.1:\(try #require(worker.port))/metrics")
            #expect(metrics.contains("upload_circuit_state{destination=\"bucket\"}"))
            for number in 0..<10 { _ = try deployment.makeFile("good/\(number)", bytes: 1000) }
            let good = deployment.path.appending(path: "files/good")
            _ = try await deployment.enqueue(["--to", "local:", "--wait", good.path])
            let asked = bucket.proxy.requests.count
            bucket.proxy.setRule { _ in .forward }
            let outcomes = try await deployment.waitForOutcomes(30, within: .seconds(300))
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
            #expect(try attempts(deployment).allSatisfy { $0 < 3 })
            #expect(try await bucket.observer.listKeys(bucket.name).count == 20)
            // Without the circuit 20 jobs would have sent far more requests.
            #expect(asked < 20 * 4 * 3)
            let waits = try deployment.queryLedger(
                "SELECT count(*) FROM events WHERE plain(body) LIKE '%circuitOpen%'")
            #expect(Int(waits.first ?? "") ?? 0 > 0)
        }
    }

    /// The limits of the place that objects are read from hold for its readers, wherever they carry them.
    @Test func noMoreJobsReadAtOnceThanTheSourceAllows() async throws {
        try await with(limits: "source: true, limits: {jobs: 1},") { deployment, bucket in
            try deployment.start(.notifier)
            for key in ["one", "two"] {
                try await bucket.observer.put(bucket.name, key, DestinationConformance.bytes(100_000))
            }
            @Sendable func reads(_ key: String) -> Int {
                bucket.proxy.requests.count { $0.method == "GET" && $0.request.path.hasSuffix("/\(key)") }
            }
            bucket.proxy.setRule { $0.method == "GET" ? .stallAnswer : .forward }
            try deployment.start(.worker, ["--concurrency", "4"])
            _ = try await deployment.enqueue(["--from", "bucket", "--to", "local:", "one"])
            try await eventually("the first object is read") { reads("one") > 0 }
            _ = try await deployment.enqueue(["--from", "bucket", "--to", "local:", "two"])
            let other = try deployment.makeFile("other", bytes: 1000)
            _ = try await deployment.enqueue(["--to", "local:", "--wait", other.path])
            try await eventually("the second job is held up") {
                let waits = try deployment.queryLedger(
                    "SELECT count(*) FROM events WHERE plain(body) LIKE '%as many jobs at once from ''bucket''%'")
                return Int(waits.first ?? "") ?? 0 > 0
            }
            #expect(reads("two") == 0)
            bucket.proxy.setRule { _ in .forward }
            bucket.proxy.cut()
            let outcomes = try await deployment.waitForOutcomes(3)
            #expect(outcomes.allSatisfy { $0["type"] as? String == "upload.completed" })
        }
    }

    private func destination(_ name: String, _ deployment: Deployment, _ api: String) async throws -> [String: Any] {
        let listed = try await deployment.control("destination", "list", "-o", "ndjson", "--api", api).outputText
        let lines = try listed.split(separator: "\n").map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
        return try #require(lines.first { $0["name"] as? String == name }, "\(listed)")
    }

    @Test func whatWorkersSeeOfADestinationIsShown() async throws {
        try await with(limits: "limits: {jobs: 3, requestsPerSecond: 500},") { deployment, bucket in
            let port = try Ports.free()
            try deployment.start(.notifier, ["--http", "127.0.0.1:\(port)"])
            try await eventually("the notifier listens") { Ports.isOpen(port) }
            let api = "http://127.0.0.1:\(port)"
            try deployment.start(.worker, ["--concurrency", "4"])
            bucket.proxy.setRule { _ in .cut }
            for number in 0..<10 { _ = try deployment.makeFile("bad/\(number)", bytes: 1000) }
            let bad = deployment.path.appending(path: "files/bad")
            _ = try await deployment.enqueue(["--to", "bucket:", "--max-attempts", "3", bad.path])
            try await eventually("the worker's open circuit is shown") {
                let shown = try await destination("bucket", deployment, api)
                let live = shown["live"] as? [String: Any]
                let workers = shown["workers"] as? [[String: Any]] ?? []
                return (shown["circuit"] as? [String: Any])?["state"] as? String == "open"
                    && live?["failing"] as? Int == 1
                    && workers.contains { ($0["circuit"] as? [String: Any])?["until"] != nil }
                    && workers.allSatisfy { ($0["limits"] as? [String: Int]) == ["jobs": 3, "requestsPerSecond": 500] }
            }
            let page = try await Web.page("\(api)/")
            #expect(page.contains("destination-bucket"))
            bucket.proxy.setRule { _ in .forward }
            try await eventually("a worker tells that it is closed again") {
                let shown = try await destination("bucket", deployment, api)
                let live = shown["live"] as? [String: Any]
                return live?["failing"] as? Int == 0
                    && (shown["circuit"] as? [String: Any])?["state"] as? String == "closed"
            }
            _ = try await deployment.waitForOutcomes(10, within: .seconds(300))
        }
    }

    @Test func aLimitOfRequestsHoldsForAllJobsTogether() async throws {
        try await with(limits: "limits: {requestsPerSecond: 5},") { deployment, bucket in
            try deployment.start(.worker, ["--concurrency", "16"])
            for number in 0..<30 { _ = try deployment.makeFile("some/\(number)", bytes: 1000) }
            let started = ContinuousClock.now
            _ = try await deployment.enqueue(
                ["--to", "bucket:", "--wait", deployment.path.appending(path: "files/some").path])
            let puts = bucket.proxy.requests.count { $0.method == "PUT" }
            #expect(puts == 30)
            // The requests of one second pass at once, and five a second from then on.
            #expect(ContinuousClock.now - started >= .seconds(5))
        }
    }

    @Test func aLimitOfBytesHoldsForAllPartsTogether() async throws {
        try await with(limits: "limits: {bytesPerSecond: 4MiB},") { deployment, bucket in
            try deployment.start(.worker, ["--parts", "4"])
            let file = try deployment.makeFile("large.bin", bytes: 24 << 20)
            let started = ContinuousClock.now
            _ = try await deployment.enqueue(["--to", "bucket:", "--wait", file.path])
            // 24 MiB, of which the bytes of one second pass at once.
            #expect(ContinuousClock.now - started >= .seconds(5))
            #expect(
                try await bucket.observer.sha256(bucket.name, "large.bin") == deployment.digests(of: [file]).first)
        }
    }
}
