import Foundation
import Glibc
import HTTPCalls
import LinuxFiles
import Synchronization
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Parts of a file in place: where the server compares them with a checksum, the kernel sends them.
@Suite(.timeLimit(.minutes(10)))
struct S3FileTests {
    private static let part = S3Bench.partBytes

    /// A source that counts how often its file is asked for.
    private struct Counting: UploadSource {
        let source: any UploadSource
        let count: Count
        /// Whether the system cannot send from the file.
        var isRefused = false

        final class Count: Sendable {
            let value = Atomic(0)
        }

        var size: Int64 { source.size }
        var isLocked: Bool { source.isLocked }
        func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
            source.read(range)
        }
        func fileRange(_ range: Range<Int64>) async throws(UploadError) -> SourceFileRange? {
            try await source.fileRange(range).map { file in
                SourceFileRange(file.range) { () throws(UploadError) in
                    count.value.add(1, ordering: .relaxed)
                    return try file.duplicate()
                } check: { () throws(UploadError) in
                    try file.check()
                }
            }
        }
        func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
            try await source.checksum(of: range)
        }
        func readChecksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
            try await source.readChecksum(of: range)
        }
        func verifyUnchanged() async throws(UploadError) { try await source.verifyUnchanged() }
        func close() async { await source.close() }
    }

    private struct Case {
        let etag: S3Configuration.ETagMeaning?
        let checksum: S3Configuration.Checksum
        /// Whether the kernel is to send the parts.
        let sendsFile: Bool
        var isRefused = false
    }

    private static let cases = [
        Case(etag: .opaque, checksum: .crc64nvme, sendsFile: true),
        Case(etag: .opaque, checksum: .crc32c, sendsFile: true),
        // The program reads what the kernel cannot send.
        Case(etag: .opaque, checksum: .crc64nvme, sendsFile: true, isRefused: true),
        // Nothing says that the part arrived as it was read.
        Case(etag: .opaque, checksum: .none, sendsFile: false),
        // The ETag is compared with the MD5 of the sent bytes.
        Case(etag: .md5, checksum: .crc64nvme, sendsFile: false),
    ]

    @Test(arguments: Self.cases.indices)
    func `parts of a file in place are sent by the kernel where nothing has to see them`(number: Int) async throws {
        let example = Self.cases[number]
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let scratch = try TemporaryDirectory("in place")
            let bytes = DestinationConformance.bytes(2 * Self.part + 5)
            try Data(bytes).write(to: scratch.url("file"))
            let sources = LocalSources(areas: [], roots: [scratch.path])
            let examined = try await LocalSources.examine(fileAt: FilePath(scratch.url("file").path))
            var job = try bench.job([], key: "file")
            (job.source, job.size, job.digests) = (examined.reference, examined.size, Digests())
            guard case .claimed(let opened) = try await sources.claim(job) else {
                throw DidNotHappen("the file lies below a root")
            }
            let source = Counting(source: opened, count: Counting.Count(), isRefused: example.isRefused)
            var configuration = bench.configuration
            (configuration.etag, configuration.checksum) = (example.etag, example.checksum)
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            let sent = Atomic(Int64(0))
            for part in session.missing {
                try await session.upload(part, from: source) { sent.add(Int64($0), ordering: .relaxed) }
            }
            _ = try await session.complete(.none)
            #expect(sent.load(ordering: .relaxed) == job.size)
            #expect(try await bench.observer.get(bench.bucket, "file") == bytes)
            // The last part is small, and is sent with its head.
            #expect(source.count.value.load(ordering: .relaxed) == (example.sendsFile ? 2 : 0))
            await source.close()
        }
    }

    @Test func `no file is sent over TLS`() async throws {
        let file = SourceFileRange(0..<1 << 20) { () throws(UploadError) in
            0
        } check: {
        }
        let body = HTTPBody(source: SourceBuffers { _ in nil }, size: 1 << 20, file: file) { _ in }
        let payload = S3Request.Payload.stream(body, sha256: nil)
        #expect(try await payload.kept(for: "x", isSecure: true) == nil)
        #expect(try await payload.kept(for: "x", isSecure: false) != nil)
    }
}
