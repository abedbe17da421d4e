import Foundation
import Testing
import UploadTesting

/// The object that is read back decides, and so does a checksum from the destination that contradicts the upload.
@Suite(.serialized, .timeLimit(.minutes(40))) struct VerifyTests {
    /// Settings that make two parts, of a size that the proxy can still rewrite as a whole.
    private static func settings(_ more: String = "") -> String {
        ", multipartThreshold: 8MiB, retry: {base: 1s, cap: 1s\(more)}"
    }

    /// Waits for the given number of outcomes and returns the last one.
    private func outcome(_ deployment: Deployment, _ count: Int) async throws -> (type: String, data: [String: Any]) {
        let told = try #require(try await deployment.waitForOutcomes(count).last)
        return (try #require(told["type"] as? String), try #require(told["data"] as? [String: Any]))
    }

    private func isVerified(_ data: [String: Any]) -> Bool {
        (data["object"] as? [String: Any])?["verified"] as? String == "readBack"
    }

    private func code(_ data: [String: Any]) -> String? { (data["error"] as? [String: Any])?["code"] as? String }

    private static func isRead(_ request: HTTPFaultProxy.Request, of key: String) -> Bool {
        request.method == "GET" && request.path.hasSuffix("/\(key)") && request.query["uploadId"] == nil
    }

    @Test func whatIsReadBackDecidesWhatBecomesOfTheUpload() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [bucket.destination(more: Self.settings())]) {
            deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let small = try deployment.makeFile("small.bin", bytes: 400_000)
            let large = try deployment.makeFile("large.bin", bytes: 12 << 20)
            let digests = try await deployment.digests(of: [small, large])

            for (number, file) in [small, large].enumerated() {
                _ = try await deployment.enqueue(["--to", "bucket:good-\(number)", "--verify", file.path])
                let (type, data) = try await outcome(deployment, number + 1)
                #expect(type == "upload.completed" && isVerified(data), "\(data["error"] ?? "")")
                #expect(bucket.proxy.requests.contains { Self.isRead($0.request, of: "good-\(number)") })
                #expect(try await bucket.observer.sha256(bucket.name, "good-\(number)") == digests[number])
            }

            // The object is damaged once on the way back: the next attempt replaces it, and the comparison succeeds.
            let hits = Counter()
            bucket.proxy.setRule { request in
                guard Self.isRead(request, of: "once"), hits.next(upTo: 1) else { return .forward }
                return .rewriteAnswer { $0.body[$0.body.count - 1] ^= 1 }
            }
            _ = try await deployment.enqueue(["--to", "bucket:once", "--verify", large.path])
            let once = try await outcome(deployment, 3)
            #expect(once.type == "upload.completed" && isVerified(once.data), "\(once.data["error"] ?? "")")
            #expect(hits.count == 1 && once.data["attempts"] as? Int == 1)
            #expect(
                bucket.proxy.requests.count {
                    $0.method == "POST" && $0.request.path.hasSuffix("/once")
                        && $0.request.query["uploads"] != nil
                } == 2, "it was uploaded again")

            // The object is damaged each time, so the upload never succeeds.
            bucket.proxy.setRule { request in
                guard Self.isRead(request, of: "always") else { return .forward }
                return .rewriteAnswer { $0.body[0] ^= 1 }
            }
            _ = try await deployment.enqueue(
                ["--to", "bucket:always", "--verify", "--max-attempts", "2", small.path])
            let always = try await outcome(deployment, 4)
            #expect(always.type == "upload.failed" && code(always.data) == "checksumMismatch")
            #expect(bucket.proxy.requests.count { $0.method == "PUT" && $0.request.path.hasSuffix("/always") } >= 2)
            #expect(try deployment.toldOutcomes().count == 4)
        }
    }

    @Test func aReadingThatOutlastsTheSliceGoesOnWhereItStopped() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        let slow = bucket.destination(more: ", limits: {bytesPerSecond: 8MiB}")
        try await Deployment.with(destinations: [slow]) { deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker, ["--slice", "1s"])
            let file = try deployment.makeFile("large.bin", bytes: 40 << 20)
            _ = try await deployment.enqueue(["--to", "bucket:slow", "--verify", file.path])
            let (type, data) = try await outcome(deployment, 1)
            #expect(type == "upload.completed" && isVerified(data), "\(data["error"] ?? "")")
            let ranges = bucket.proxy.requests.filter { Self.isRead($0.request, of: "slow") }
                .compactMap { $0.request.header("range") }
            #expect(!ranges.isEmpty, "all was read in one go")
            for range in ranges {
                let start = try #require(Int(range.dropFirst("bytes=".count).dropLast()))
                #expect(start > 0 && start % (8 << 20) == 0, "\(range) is no block's beginning")
            }
        }
    }

    @Test func whatCannotBeReadBackIsRefusedBeforeItIsSent() async throws {
        try await Deployment.with { deployment in
            let file = try deployment.makeFile("a.bin", bytes: 10)
            let refused = try await deployment.run(
                .enqueue, ["--to", "https://host.example/a?X-Signature=topsecret", "--verify", file.path])
            #expect(await refused.wait() == 64)
            #expect(refused.errorText.contains("cannot be read back") && !refused.errorText.contains("topsecret"))
        }
    }

    /// - Parameter isLarge: whether the checksum comes with the answer to CompleteMultipartUpload, or else to PutObject.
    @Test(arguments: [false, true])
    func aDestinationThatAlwaysTellsAnotherChecksumFailsTheUpload(isLarge: Bool) async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [
            bucket.destination(more: Self.settings(", maxAttempts: 3"))
        ]) {
            deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("file.bin", bytes: isLarge ? 12 << 20 : 400_000)
            let hits = Counter()
            bucket.proxy.setRule { request in
                let isPut = request.method == "PUT" && request.partNumber == nil
                let isComplete = request.method == "POST" && request.query["uploadId"] != nil
                guard isPut || isComplete, hits.next(upTo: .max) else { return .forward }
                return .rewriteAnswer { answer in
                    answer.setHeader("x-amz-checksum-crc64nvme", "AAAAAAAAAAA=")
                    let end = "</CompleteMultipartUploadResult>"
                    let body = String(decoding: answer.body, as: UTF8.self)
                    guard isComplete, body.contains(end) else { return }
                    answer.body = Array(
                        body.replacing(end, with: "<ChecksumCRC64NVME>AAAAAAAAAAA=</ChecksumCRC64NVME>" + end).utf8)
                }
            }
            _ = try await deployment.enqueue(["--to", "bucket:wrong", file.path])
            let (type, data) = try await outcome(deployment, 1)
            #expect(type == "upload.failed" && code(data) == "checksumMismatch", "\(type) \(data["error"] ?? "")")
            #expect(data["attempts"] as? Int == 3, "the destination's retry policy counts")
            #expect(hits.count >= 3, "each attempt sends it again")
            #expect(try await bucket.observer.listUploads(bucket.name).isEmpty)
        }
    }

    @Test func aDestinationThatAlwaysTellsAnotherETagFailsTheUpload() async throws {
        let bucket = try await S3Bucket.make()
        defer { bucket.proxy.stop() }
        try await Deployment.with(destinations: [bucket.destination(more: Self.settings())]) {
            deployment in
            try deployment.start(.notifier)
            try deployment.start(.worker)
            let file = try deployment.makeFile("file.bin", bytes: 12 << 20)
            bucket.proxy.setRule { request in
                let isList = request.method == "GET" && request.query["uploadId"] != nil
                guard request.partNumber != nil || isList else { return .forward }
                return .rewriteAnswer { answer in
                    let wrong = String(repeating: "0", count: 32)
                    answer.setHeader("etag", "\"\(wrong)\"")
                    guard isList else { return }
                    answer.body = Array(
                        String(decoding: answer.body, as: UTF8.self)
                            .replacing(/<ETag>[^<]*<\/ETag>/, with: "<ETag>\(wrong)</ETag>").utf8)
                }
            }
            _ = try await deployment.enqueue(["--to", "bucket:wrong", "--max-attempts", "2", file.path])
            let (type, data) = try await outcome(deployment, 1)
            #expect(type == "upload.failed" && data["attempts"] as? Int == 2, "\(type)")
            #expect(try await bucket.observer.head(bucket.name, "wrong") == nil)
        }
    }
}
