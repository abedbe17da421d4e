import Foundation
import Testing
import UploadTesting

/// `staging: none`: a pool without a staging area carries what needs no copy, and keeps its outbox in the spool of each host.
@Suite(.timeLimit(.minutes(40))) struct NoStagingTests {
    @Test func aPoolWithoutAStagingAreaCarriesWhatNeedsNoCopyAndRefusesTheRestWithARemedy() async throws {
        let shelf = try TemporaryDirectory()
        try await Deployment.with(
            destinations: ["shelf: {driver: directory, path: \(shelf.url.path), source: true}"],
            configuration: ["sourceRoots: [\(shelf.url.path)]"]
        ) { deployment in
            let spool = deployment.path.appending(path: "spool")
            try Data("spool: \(spool.path)\n".utf8).append(to: deployment.configuration)
            let options = ["--staging", "none"]
            try deployment.start(.notifier, options)
            try deployment.start(.worker, options)
            let small = try deployment.makeFile("small", bytes: 32_768)
            let large = try deployment.makeFile("large", bytes: 3_000_000)
            let placed = shelf.url.appending(path: "placed")
            try FileManager.default.copyItem(at: large, to: placed)

            // One travels in its message under a key that the spool keeps, one is in place, one is an object.
            _ = try await deployment.enqueue(options + ["--to", "local:", "--idempotency-key", "k", small.path])
            _ = try await deployment.enqueue(options + ["--to", "local:", "--no-stage", placed.path])
            _ = try await deployment.enqueue(options + ["--to", "local:fetched", "--from", "shelf", "placed"])
            let before = try await deployment.waitForOutcomes(3)
            #expect(before.allSatisfy { $0["type"] as? String == "upload.completed" })
            try deployment.expectArrived("small", like: small)
            for key in ["placed", "fetched"] { try deployment.expectArrived(key, like: large) }
            let again = try await deployment.run(
                .enqueue, options + ["--to", "local:other", "--idempotency-key", "k", small.path])
            #expect(await again.wait() == 65, "\(again.errorText)")

            let refused = try await deployment.run(.enqueue, options + ["--to", "local:", small.path, large.path])
            #expect(await refused.wait() == 65)
            #expect(refused.outputText == "")
            #expect(refused.errorText.contains("give --no-stage if the workers can read it"), "\(refused.errorText)")

            // The broker is away: the job waits in the spool, and the worker of the same host publishes it.
            let port = try Ports.free()
            let kept = try await deployment.run(
                .enqueue, options + ["--broker", "amqp://127.0.0.1:\(port)", "--to", "local:kept", small.path])
            #expect(await kept.wait() == 0, "\(kept.errorText)")
            #expect(kept.errorText.contains("kept in \(spool.path)/outbox"), "\(kept.errorText)")
            _ = try await deployment.waitForOutcomes(4)
            try deployment.expectArrived("kept", like: small)
            #expect(!FileManager.default.fileExists(atPath: deployment.staging.path))
        }
    }
}

extension Data {
    fileprivate func append(to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("\n".utf8) + self)
        try handle.close()
    }
}
