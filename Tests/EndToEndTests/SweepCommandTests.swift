import Foundation
import Logging
import RabbitMQ
import Synchronization
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// `uploadctl destination sweep` and `uploadctl staging sweep`.
@Suite(.serialized, .timeLimit(.minutes(40))) struct SweepCommandTests {
    private static let day: TimeInterval = 86_400

    private func report(_ program: RunningProgram) throws -> [String: Any] {
        let text = Data(program.outputText.utf8)
        return try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any], "\(program.errorText)")
    }

    private func names(_ report: [String: Any]) -> [String] {
        (report["items"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }.sorted()
    }

    /// Submits a job that was enqueued days ago, so that a session that began since then may be its own.
    private func submit(_ key: String, _ file: URL, to deployment: Deployment) async throws -> JobID {
        let size = try #require(try file.resourceValues(forKeys: [.fileSizeKey]).fileSize)
        let broker = try await UploadBroker.connect(
            ConnectionConfiguration(urls: [deployment.broker.url]), namespace: deployment.namespace,
            shards: deployment.shards,
            logger: Logger(label: "e2e") { _ in SwiftLogNoOpLogHandler() })
        let job = UploadJob(
            source: .file(path: FilePath(file.path), identity: FileIdentity()),
            destination: .named(DestinationName(unchecked: "bucket"), key: key), size: Int64(size),
            retry: RetryPolicy(maxAge: 30 * Self.day), enqueuedAt: Date() - 5 * Self.day)
        try await broker.submitter(for: .standard).submit(job)
        await broker.close()
        return job.id
    }

    @Test func anOrphanedSessionIsRemovedAndALiveOneOrAStrangersIsNot() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        let files = try TemporaryDirectory()
        try await Deployment.with(
            destinations: [bucket.destination(more: ", retry: {maxAge: 30d}")],
            configuration: ["sourceRoots: [\(files.path)]"]
        ) { deployment in
            try deployment.start(.notifier)
            let worker = try deployment.start(.worker)
            // Parts never arrive, so a session stays open; and all listed sessions look two days old.
            let old = "<Initiated>\(WireJSON.timestamp(Date() - 2 * Self.day))</Initiated>"
            let lies = Atomic(true)
            bucket.proxy.setRule { request in
                if request.partNumber != nil { return .stallRequest(afterBytes: 0) }
                // The server claims to have aborted an upload, and has not.
                if lies.load(ordering: .relaxed), request.method == "DELETE", request.path.hasSuffix("/orphan") {
                    return .answer(status: 204)
                }
                guard request.method == "GET", request.query["uploads"] != nil else { return .forward }
                return .rewriteAnswer { answer in
                    answer.body = Array(
                        String(decoding: answer.body, as: UTF8.self)
                            .replacing(/<Initiated>[^<]*<\/Initiated>/, with: old).utf8)
                }
            }
            let large = try files.write(DestinationConformance.bytes(20 << 20), to: "large.bin")
            let live = try await submit("live", URL(filePath: large), to: deployment)
            let orphan = try await submit("orphan", URL(filePath: large), to: deployment)
            for job in [live, orphan] {
                try await eventually("the job's session is told") {
                    try deployment.queryLedger(
                        """
                        SELECT json_extract(plain(record), '$.baton.state.driver') FROM jobs WHERE id = '\(job)'
                        """) == ["s3"]
                }
            }
            try await deployment.control("cancel", "\(orphan)")
            _ = try await deployment.waitForOutcomes(1)
            lies.store(false, ordering: .relaxed)
            // Sessions of another program, one of them at the key of a job.
            let strangers = try await bucket.observer.startUpload(bucket.name, "orphan")
            _ = try await bucket.observer.startUpload(bucket.name, "foreign")
            #expect(
                try await bucket.observer.listUploads(bucket.name).map(\.key).sorted()
                    == ["foreign", "live", "orphan", "orphan"])

            let looked = try report(
                try await deployment.control("destination", "sweep", "bucket", "--dry-run", "-o", "json"))
            #expect(names(looked) == ["orphan"] && looked["removed"] as? Int == 0 && looked["listed"] as? Int == 4)
            #expect(try await bucket.observer.listUploads(bucket.name).count == 4)

            let young = try report(
                try await deployment.control("destination", "sweep", "bucket", "--older-than", "3d", "-o", "json"))
            #expect(young["listed"] as? Int == 0)
            let swept = try await deployment.control("destination", "sweep", "bucket", "--older-than", "1h")
            #expect(swept.outputText.hasPrefix("removed orphan ("), "\(swept.outputText)\(swept.errorText)")
            #expect(swept.errorText.contains("4 looked at, 1 needed by no job, 1 removed"), "\(swept.errorText)")
            let left = try await bucket.observer.listUploads(bucket.name)
            #expect(left.map(\.key).sorted() == ["foreign", "live", "orphan"])
            #expect(left.first { $0.key == "orphan" }?.uploadId == strangers)

            let unknown = try await deployment.control("destination", "sweep", "nowhere", expecting: 1)
            #expect(unknown.errorText.contains("no destination 'nowhere'"), "\(unknown.errorText)")
            try await deployment.control("destination", "sweep", "bucket", "--older-than", "5m", expecting: 64)
            worker.signal(SIGKILL)
        }
    }

    @Test func anOrphanedStagedCopyIsRemovedAndALiveOneIsNot() async throws {
        try await Deployment.with { deployment in
            try deployment.start(.notifier)
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            _ = try await deployment.enqueue(["--to", "local:", "--after", "1h", file.path])
            let live = try #require(deployment.stagedFiles().first { !$0.hasSuffix(".blocks") })
            let orphan = deployment.staging.appending(path: "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90")
            try Data(repeating: 7, count: 5000).write(to: orphan)
            for name in [live, orphan.lastPathComponent] {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date() - 40 * Self.day],
                    ofItemAtPath: deployment.staging.appending(path: name).path)
            }
            try await deployment.waitForLedger()
            let looked = try report(try await deployment.control("staging", "sweep", "--dry-run", "-o", "json"))
            #expect(names(looked) == [orphan.lastPathComponent] && looked["bytes"] as? Int == 5000)
            #expect(FileManager.default.fileExists(atPath: orphan.path))
            let swept = try report(try await deployment.control("staging", "sweep", "-o", "json"))
            #expect(swept["removed"] as? Int == 1)
            #expect(!FileManager.default.fileExists(atPath: orphan.path))
            #expect(deployment.stagedFiles().contains(live))
        }
    }

    @Test func withoutANotifierASweepSaysThatNobodyAnswered() async throws {
        try await Deployment.with { deployment in
            let away = try await deployment.control(
                "staging", "sweep", "--timeout", "10s", "--dry-run", expecting: 69)
            #expect(away.outputText.isEmpty)
            #expect(away.errorText.contains("no answer from the notifier within 10s"), "\(away.errorText)")
        }
    }
}
