import Foundation
import Testing
import UploadTesting
import Uploads

/// A file changes, shrinks, grows or disappears while a worker reads it: the upload fails with a remedy, and nothing of it stays at the
/// destination.
@Suite(.serialized, .timeLimit(.minutes(40))) struct SourceFaultTests {
    private struct Case {
        enum Way: CaseIterable {
            /// The worker reads the file itself.
            case original
            /// The kernel sends the file itself, after the worker has read it for its checksum.
            case sentOriginal
            case copy
            /// The worker reads the file itself, which was linked into the staging area.
            case moved
            /// The kernel sends the copy, after the worker has compared it with the digests of its blocks.
            case sentCopy

            var options: [String] {
                switch self {
                case .original, .sentOriginal: ["--no-stage"]
                case .copy, .sentCopy: []
                case .moved: ["--move"]
                }
            }
        }

        let change: SourceChange
        let way: Way
        /// Whether the file is sent in parts, or in one request.
        let isMultipart: Bool

        /// A name as destinations have them.
        var name: String {
            "\(change)-\(way)-\(isMultipart ? "parts" : "whole")".lowercased()
        }

        var isStaged: Bool { ![.original, .sentOriginal].contains(way) }
        private var isSentByKernel: Bool { [.sentOriginal, .sentCopy].contains(way) }

        static let all: [Case] = [false, true].flatMap { isMultipart in
            Way.allCases.flatMap { way in
                SourceChange.allCases.map { Case(change: $0, way: way, isMultipart: isMultipart) }
            }
        }.filter { example in
            // The kernel sends parts alone.
            (example.isMultipart || !example.isSentByKernel)
                && (!example.isStaged || [.rewritten, .truncated, .deleted].contains(example.change))
        }

        /// How the destination is configured. At this pace most of the file is unread when the first bytes arrive; each case has a pace of
        /// its own. A worker that keeps a limit of bytes reads each file, so for the kernel the proxy sets the pace (`paceOfKernel`).
        var settings: String {
            isSentByKernel ? ", etag: opaque, limits: {parts: 1}" : ", limits: {bytesPerSecond: \(Self.pace), parts: 1}"
        }

        private static let pace = 1 << 20

        static func paceOfKernel(_ request: HTTPFaultProxy.Request) -> HTTPFaultProxy.Action {
            request.partNumber != nil && request.path.contains("-sent")
                ? .throttle(bytesPerSecond: pace) : .forward
        }
    }

    @Test func whatHappensToASourceInMidUploadItIsRefusedAndNothingOfItStays() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        bucket.proxy.setRule(Case.paceOfKernel)
        let lines = Case.all.map { bucket.destination(name: $0.name, more: $0.settings) }
        let folder = try TemporaryDirectory("originals")
        try await Deployment.with(destinations: lines, configuration: ["sourceRoots: [\(folder.path)]"]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--concurrency", "\(Case.all.count)"])
            var expected: [String: Case] = [:]
            for example in Case.all {
                let (id, file) = try await begin(example, deployment, in: folder)
                try await eventually("\(example.name) is under way") { bytesSent(of: example, bucket) > 0 }
                try example.change.apply(to: file)
                #expect(
                    bytesSent(of: example, bucket) < 4 << 20, "\(example.name) was nearly over before the change")
                expected[id] = example
            }
            let told = try await deployment.waitForOutcomes(Case.all.count)
            for outcome in told {
                let example = try #require(expected[outcome["subject"] as? String ?? ""])
                let data = try #require(outcome["data"] as? [String: Any])
                let error = data["error"] as? [String: Any]
                #expect(outcome["type"] as? String == "upload.failed", "\(example.name)")
                #expect(error?["code"] as? String == "sourceChanged", "\(example.name): \(error ?? [:])")
                let message = error?["message"] as? String ?? ""
                #expect(message.contains("enqueue") && message.contains(".bin") != example.isStaged, "\(message)")
                // One attempt is enough to notice the change.
                #expect(data["attempts"] as? Int == 1, "\(example.name)")
                #expect(data["state"] == nil, "\(example.name): its session is still named")
            }
            #expect(Set(told.compactMap { $0["subject"] as? String }).count == Case.all.count)
            #expect(try await bucket.observer.listKeys(bucket.name) == [])
            #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
        }
    }

    /// Enqueues a file of the size that the case needs, and returns the file that the worker reads.
    private func begin(
        _ example: Case, _ deployment: Deployment, in folder: TemporaryDirectory
    ) async throws -> (id: String, file: URL) {
        let made = try deployment.makeFile("\(example.name).bin", bytes: (example.isMultipart ? 17 : 12) << 20)
        let original = folder.url("\(example.name).bin")
        try FileManager.default.moveItem(at: made, to: original)
        let before = Set(deployment.stagedFiles())
        let ids = try await deployment.enqueue(
            ["--to", "\(example.name):\(example.name)", original.path] + example.way.options)
        let id = try #require(ids.first)
        guard example.isStaged else { return (id, original) }
        let copy = Set(deployment.stagedFiles()).subtracting(before).filter { !$0.hasSuffix(".blocks") }
        return (id, deployment.staging.appending(path: try #require(copy.first)))
    }

    /// The bytes of the object that have reached the server.
    private func bytesSent(of example: Case, _ bucket: S3Bucket) -> Int {
        bucket.proxy.requests.filter { $0.method == "PUT" && $0.request.path.hasSuffix("/\(example.name)") }
            .reduce(0) { $0 + $1.bodyBytes }
    }

    /// The file is not read before its job is published, and the workers together compute its checksum.
    @Test func theChecksumOfAFileInPlaceIsToldAlthoughAWorkerDiedHalfWay() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        let folder = try TemporaryDirectory("originals")
        let destination = bucket.destination(name: "slow", more: ", limits: {bytesPerSecond: 4MiB, parts: 1}")
        try await Deployment.with(destinations: [destination], configuration: ["sourceRoots: [\(folder.path)]"]) {
            deployment in
            let notifier = try deployment.start(.notifier)
            let api = "http://127.0.0.1:\(try #require(notifier.port))"
            let victim = try deployment.start(.worker, ["--slice", "1s"])
            let file = folder.url("large.bin")
            try FileManager.default.moveItem(at: deployment.makeFile("large.bin", bytes: (26 << 20) + 5), to: file)
            let ids = try await deployment.enqueue(["--to", "slow:large", "--no-stage", file.path])
            let id = try #require(ids.first)
            try await eventually("the second part is on its way") {
                bucket.proxy.requests.contains { $0.request.partNumber == 2 && $0.bodyBytes > 1 << 20 }
            }
            victim.signal(SIGKILL)
            _ = await victim.wait()
            try deployment.start(.worker, ["--slice", "1s"])
            let outcome = try await deployment.waitForOutcome(of: id)
            #expect(outcome["type"] as? String == "upload.completed", "\(outcome)")
            let object = (outcome["data"] as? [String: Any])?["object"] as? [String: Any]
            let checksum = CRC64NVME(of: try Data(contentsOf: file)).hexadecimal
            #expect((object?["digests"] as? [String: String]) == ["crc64nvme": checksum])
            let story = try await deployment.control("job", id, "--api", api).outputText
            #expect(story.contains(checksum), "\(story)")
            let stored = try #require(try await bucket.observer.get(bucket.name, "large"))
            #expect(CRC64NVME(of: stored).hexadecimal == checksum)
        }
    }

    @Test func aSourceThatMayNotBeReadIsRefusedWithARemedy() async throws {
        let folder = try TemporaryDirectory("originals")
        try await Deployment.with(configuration: ["sourceRoots: [\(folder.path)]"]) { deployment in
            let file = folder.url("closed.bin")
            try FileManager.default.moveItem(at: try deployment.makeFile("closed.bin", bytes: 100_000), to: file)
            _ = try await deployment.enqueue(["--to", "local:", "--no-stage", file.path])
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
            try deployment.start(.notifier)
            try deployment.start(.worker, mayReadAll: false)
            try await deployment.expectFailure(.invalidFile, saying: file.path, "give this user")
            #expect(try FileManager.default.contentsOfDirectory(atPath: deployment.uploaded.path) == [])
        }
    }

    @Test func aSourceThatIsGoneBeforeAWorkerComesIsRefusedWithARemedy() async throws {
        let folder = try TemporaryDirectory("originals")
        try await Deployment.with(configuration: ["sourceRoots: [\(folder.path)]"]) { deployment in
            let file = folder.url("gone.bin")
            try FileManager.default.moveItem(at: try deployment.makeFile("gone.bin", bytes: 100_000), to: file)
            _ = try await deployment.enqueue(["--to", "local:", "--no-stage", file.path])
            try FileManager.default.removeItem(at: file)
            try deployment.start(.notifier)
            try deployment.start(.worker)
            try await deployment.expectFailure(.invalidFile, saying: file.path, "check the name")
            #expect(try FileManager.default.contentsOfDirectory(atPath: deployment.uploaded.path) == [])
        }
    }
}
