import Foundation
import Logging
import RabbitMQ
import Testing
import UploadSources
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// Large files whose jobs are published while their copies are still made.
@Suite(.serialized, .timeLimit(.minutes(40))) struct GrowingCopyTests {
    /// Stops a program that copies a large file, after a worker has sent the beginning.
    private enum End: CaseIterable {
        case killed, interrupted, originalShrinks

        var status: Int32? {
            switch self {
            case .killed: nil
            case .interrupted: 130
            case .originalShrinks: 65
            }
        }

        func apply(to program: RunningProgram, copying file: URL) {
            switch self {
            case .killed: program.signal(SIGKILL)
            case .interrupted: program.signal(SIGINT)
            case .originalShrinks: #expect(truncate(file.path, 0) == 0)
            }
        }
    }

    @Test func ofACopyThatIsNeverCompleteNothingStays() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [bucket.destination()]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            for (count, end) in End.allCases.enumerated() {
                // A sparse file, which takes some seconds to be copied.
                let file = deployment.path.appending(path: "files/\(end)")
                try Data().write(to: file)
                #expect(truncate(file.path, 8 << 30) == 0)
                let program = try deployment.start(.enqueue, ["--to", "bucket:\(end)", file.path])
                try await eventually("the first bytes of \(end) arrive") {
                    bucket.proxy.requests.contains { $0.request.path.hasSuffix("/\(end)") && $0.bodyBytes > 0 }
                }
                let copy = try #require(deployment.stagedFiles().first { !$0.hasSuffix(".blocks") })
                let side = deployment.staging.appending(path: copy + ".blocks")
                let digests = try FileHandle(forReadingFrom: side)
                end.apply(to: program, copying: file)
                let status = await program.wait()
                if let expected = end.status {
                    #expect(status == expected, "\(end): \(program.errorText)")
                    #expect(program.errorText.contains("could not be copied to the end"), "\(program.errorText)")
                }
                #expect(program.outputText == "", "an id was printed for \(end)")
                try #require(try digests.read(upToCount: 8) == Data(count: 8), "the copy was complete before \(end)")
                // Instead of waiting for half a minute. A program that can still do so says by itself that it gives the copy up.
                if end == .killed {
                    try FileManager.default.setAttributes([.modificationDate: Date() - 60], ofItemAtPath: side.path)
                }

                let outcomes = try await deployment.waitForOutcomes(count + 1)
                let data = try #require(outcomes.last?["data"] as? [String: Any])
                #expect(outcomes.last?["type"] as? String == "upload.failed")
                #expect((data["error"] as? [String: Any])?["code"] as? String == "sourceIncomplete", "\(data)")
                #expect(data["state"] == nil)
                try await eventually("the copy of \(end) is gone") { deployment.stagedFiles() == [] }
            }
            #expect(try await bucket.observer.listKeys(bucket.name) == [])
            #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
        }
    }

    /// The producer is this test, so that its copy grows when the test says so.
    @Test func aJobWaitsForItsCopyWithoutASlotAndAnyWorkerGoesOnWithIt() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [bucket.destination()]) { deployment in
            let notifier = try deployment.start(.notifier)
            let api = "http://127.0.0.1:\(try #require(notifier.port))"
            let victim = try deployment.start(.worker, ["--concurrency", "1"])
            let file = try deployment.makeFile("large", bytes: Int(GrowingCopy.bytesMinimum) + 1)
            let (copy, job) = try await begin(file, deployment)
            try await waitForCopy(of: job, api, deployment)
            #expect(bucket.proxy.requests.count { $0.request.partNumber == 1 } == 1)
            #expect(!bucket.proxy.requests.contains { $0.request.partNumber == 2 })

            // The only slot is free meanwhile.
            let small = try deployment.makeFile("small", bytes: 100_000)
            let other = try #require(try await deployment.enqueue(["--to", "bucket:small", small.path]).first)
            #expect(try await deployment.waitForOutcome(of: other)["type"] as? String == "upload.completed")
            victim.signal(SIGKILL)
            _ = await victim.wait()
            try deployment.start(.worker)
            let staged = try await copy.finish()
            let outcome = try await deployment.waitForOutcome(of: job.id.rawValue)
            #expect(outcome["type"] as? String == "upload.completed", "\(outcome)")
            let data = try #require(outcome["data"] as? [String: Any])
            #expect(
                (data["object"] as? [String: Any])?["digests"] as? [String: String] == [
                    "crc64nvme": try #require(staged.digests.crc64nvme)
                ])
            #expect(data["attempts"] as? Int == 0, "waiting for the copy is no attempt")
            let stored = try #require(try await bucket.observer.get(bucket.name, "large"))
            #expect(try Data(stored) == Data(contentsOf: file))
            #expect(bucket.proxy.requests.count { $0.request.partNumber == 1 } == 1, "a part was sent again")
            try await eventually("the copy is gone") { deployment.stagedFiles() == [] }
        }
    }

    @Test func aJobThatIsCancelledLeavesNeitherItsUploadNorItsCopyAndTheProducerIsTold() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [bucket.destination()]) { deployment in
            let notifier = try deployment.start(.notifier)
            let api = "http://127.0.0.1:\(try #require(notifier.port))"
            try deployment.start(.worker)
            let file = try deployment.makeFile("large", bytes: Int(GrowingCopy.bytesMinimum) + 1)
            let (copy, job) = try await begin(file, deployment)
            try await waitForCopy(of: job, api, deployment)
            try await deployment.control("cancel", job.id.rawValue)
            #expect(try await deployment.waitForOutcome(of: job.id.rawValue)["type"] as? String == "upload.cancelled")
            let error = await #expect(throws: UploadError.self) { _ = try await copy.finish() }
            #expect(error?.code == .invalidFile && error?.message.contains("cancelled") == true)
            #expect(deployment.stagedFiles() == [])
            #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
        }
    }

    @Test func largeFilesArriveWholeWhereverTheyGo() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [bucket.destination()]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("large", bytes: Int(GrowingCopy.bytesMinimum) + (20 << 20) + 5)
            let checksum = CRC64NVME(of: try Data(contentsOf: file)).hexadecimal
            for options in [["--to", "local:"], ["--to", "bucket:"], ["--to", "bucket:again", "--verify", "--wait"]] {
                let id = try #require(try await deployment.enqueue(options + [file.path]).first)
                let outcome = try await deployment.waitForOutcome(of: id)
                #expect(outcome["type"] as? String == "upload.completed", "\(outcome)")
                let object = (outcome["data"] as? [String: Any])?["object"] as? [String: Any]
                #expect((object?["digests"] as? [String: String])?["crc64nvme"] == checksum, "\(options)")
            }
            try deployment.expectArrived("large", like: file)
            let stored = try #require(try await bucket.observer.get(bucket.name, "large"))
            #expect(CRC64NVME(of: stored).hexadecimal == checksum)
            try await eventually("the copies are gone") { deployment.stagedFiles() == [] }
        }
    }

    /// Begins a copy, and publishes its job.
    private func begin(_ file: URL, _ deployment: Deployment) async throws -> (GrowingCopy, UploadJob) {
        let area = try await StagingArea.open(at: deployment.staging.path)
        let copy = try #require(try await area.beginCopy(ofFileAt: FilePath(file.path)))
        let job = UploadJob(
            source: copy.staged.reference,
            destination: .named(DestinationName(unchecked: "bucket"), key: file.lastPathComponent),
            size: copy.staged.size, digests: copy.staged.digests)
        let broker = try await UploadBroker.connect(
            ConnectionConfiguration(urls: [deployment.broker.url]), namespace: deployment.namespace,
            shards: deployment.shards, logger: Logger(label: "e2e") { _ in SwiftLogNoOpLogHandler() })
        try await broker.submitter(for: .standard).submit(job)
        await broker.close()
        return (copy, job)
    }

    private func waitForCopy(of job: UploadJob, _ api: String, _ deployment: Deployment) async throws {
        try await eventually("the job waits for its copy") {
            try await deployment.control("job", job.id.rawValue, "-o", "json", "--api", api, expecting: nil).outputText
                .contains("\"reason\":\"copying\"")
        }
    }
}
