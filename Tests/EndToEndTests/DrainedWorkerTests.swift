import Foundation
import Testing
import UploadTesting

/// An operator drains one worker for the maintenance of its host, and resumes it.
@Suite(.serialized, .timeLimit(.minutes(40))) struct DrainedWorkerTests {
    private static let part = 8 << 20
    private static let parts = 24

    private struct Shown: Decodable {
        let name: String
        let state: String
        let slotsUsed: Int
    }

    private func workers(_ deployment: Deployment) async throws -> [Shown] {
        try await deployment.control("workers", "-o", "ndjson").outputText.split(separator: "\n").map {
            try JSONDecoder().decode(Shown.self, from: Data($0.utf8))
        }
    }

    /// Waits until so many workers are shown.
    private func waitForWorkers(_ count: Int, _ deployment: Deployment) async throws -> [String] {
        try await eventually("\(count) workers are shown") { try await workers(deployment).count == count }
        return try await workers(deployment).map(\.name)
    }

    private func waitUntil(
        _ name: String, is state: String, _ deployment: Deployment
    ) async throws {
        try await eventually("\(name) is \(state)") {
            try await workers(deployment).contains { $0.name == name && $0.state == state }
        }
    }

    /// Uploads a small file, and returns the job's id.
    private func upload(_ name: String, _ deployment: Deployment) async throws -> String {
        let file = try deployment.makeFile(name, bytes: 1000)
        return try #require(try await deployment.enqueue(["--to", "bucket:", "--wait", file.path]).first)
    }

    @Test func whatADrainedWorkerCarriesAnotherOneCompletesAndItTakesNothingUntilItIsResumed() async throws {
        let bucket = try await S3Bucket.make()
        let port = try Ports.free()
        let api = "api: http://127.0.0.1:\(port)"
        try await Deployment.with(destinations: [bucket.destination()], configuration: [api]) { deployment in
            try deployment.start(.notifier, ["--http", "127.0.0.1:\(port)"])
            try await eventually("the notifier listens") { Ports.isOpen(port) }
            let proxy = try FaultProxy(to: deployment.broker.port)
            let first = try deployment.start(.worker, ["--parts", "2", "--broker", proxy.url])
            let name = try #require(try await waitForWorkers(1, deployment).first)

            bucket.proxy.setRule { $0.partNumber == nil ? .forward : .throttle(bytesPerSecond: 4 << 20) }
            let file = try deployment.makeFile("large.bin", bytes: Self.parts * Self.part)
            let id = try #require(try await deployment.enqueue(["--to", "bucket:", file.path]).first)
            try await eventually("some parts are there") { bucket.proxy.partsSent.count >= 2 }
            let second = try deployment.start(.worker, ["--parts", "2"])
            _ = try await waitForWorkers(2, deployment)

            let host = String(try #require(name.split(separator: "/").first))
            let either = try await deployment.control("worker", "drain", host, expecting: 64)
            #expect(either.errorText.contains("is one of 2 workers: name ") && either.errorText.contains(name))
            let none = try await deployment.control("worker", "drain", "nowhere", expecting: 66)
            #expect(none.errorText.contains("no worker 'nowhere' has reported itself"), "\(none.errorText)")
            let looked = try await deployment.control("worker", "drain", "--dry-run", String(name.dropLast()))
            #expect(looked.outputText == "drain worker \(name)\n")
            let counted = try await deployment.control("pause", "--destination", "bucket", "--dry-run")
            #expect(
                counted.outputText.hasSuffix(", running, waiting: 1 job\n"),
                "\(counted.outputText)\(counted.errorText)")

            let ordered = try await deployment.control("worker", "drain", name)
            #expect(ordered.outputText == "worker \(name) hands its jobs over\n")
            try await waitUntil(name, is: "drained", deployment)
            #expect(bucket.proxy.partsSent.count < Self.parts, "the job was not handed over before its end")
            #expect(try await workers(deployment).contains { $0.name == name && $0.slotsUsed == 0 })
            #expect(try await first.readiness() == "ready\n")
            bucket.proxy.setRule { _ in .forward }
            let outcomes = try await deployment.waitForOutcomes(1)
            #expect(outcomes.first?["subject"] as? String == id)
            #expect(outcomes.first?["type"] as? String == "upload.completed")
            let sent = bucket.proxy.partsSent { $0.request.path.hasSuffix("large.bin") }
            #expect(sent.count == Self.parts && sent.values.allSatisfy { $0 == 1 })
            #expect(try await bucket.observer.sha256(bucket.name, "large.bin") == deployment.digests(of: [file]).first)
            #expect(second.errorText.contains(id), "the other worker logs the end")

            var others = [try await upload("a.bin", deployment), try await upload("b.bin", deployment)]
            // The drain outlasts the worker's connections.
            let connections = proxy.connections
            proxy.cut()
            try await eventually("it is connected again") {
                let readiness = try await first.readiness()
                return proxy.connections > connections && readiness == "ready\n"
            }
            others.append(try await upload("c.bin", deployment))
            #expect(try await workers(deployment).contains { $0.name == name && $0.state == "drained" })
            #expect(!others.contains { first.errorText.contains($0) }, "\(first.errorText)")

            let resumed = try await deployment.control("worker", "resume", name)
            #expect(resumed.outputText == "worker \(name) takes jobs again\n")
            try await waitUntil(name, is: "running", deployment)
            await second.stop()
            let last = try await upload("d.bin", deployment)
            #expect(first.errorText.contains(last))
        }
        bucket.proxy.stop()
    }
}
