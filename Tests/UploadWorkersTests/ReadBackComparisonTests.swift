import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct ReadBackComparisonTests {
    /// Two blocks and a few bytes.
    static let bytes = DestinationConformance.bytes(Int(2 * PartPlan.blockBytes) + 5)
    static let size = Int64(bytes.count)
    static let digests = Digests(
        sha256: nil, crc64nvme: CRC64NVME(of: bytes).hexadecimal)
    static let object = StoredObject(location: "/x", etag: "e", size: size)

    private static func job(_ digests: Digests = digests) -> UploadJob {
        UploadJob(
            source: .staged(area: "a", name: "n"), destination: .named(DestinationName(unchecked: "x"), key: "k"),
            size: size, digests: digests)
    }

    private func compare(
        _ stored: [UInt8], _ job: UploadJob = job(), source: BytesSource? = BytesSource(bytes: bytes),
        from begin: ReadBack = ReadBack(of: object), answerBytes: Int = .max
    ) async throws -> [ReadBack] {
        let seen = Seen()
        let comparison = ReadBackComparison(job: job, source: source, begin: begin) { readBack in
            seen.all.withLock { $0.append(readBack) }
        }
        try await comparison.run(at: BytesDestination(stored: stored, answerBytes: answerBytes), pace: nil)
        return seen.all.withLock { $0 }
    }

    private func mismatch(_ stored: [UInt8], _ job: UploadJob = job(), source: BytesSource? = BytesSource(bytes: bytes))
        async -> String
    {
        let error = await #expect(throws: UploadError.self) { _ = try await compare(stored, job, source: source) }
        #expect(error?.code == .checksumMismatch)
        return error?.message ?? ""
    }

    @Test func `each block is compared and reported`() async throws {
        let seen = try await compare(Self.bytes)
        #expect(seen.map(\.bytes) == [PartPlan.blockBytes, 2 * PartPlan.blockBytes, Self.size])
        #expect(seen.last?.checksum == Self.digests.crc64nvme)
    }

    @Test func `reading goes on at a block, and the whole is still right`() async throws {
        let first = try #require(try await compare(Self.bytes).first)
        let rest = try await compare(Self.bytes, from: first)
        #expect(rest.map(\.bytes) == [2 * PartPlan.blockBytes, Self.size])
        #expect(rest.last?.checksum == Self.digests.crc64nvme)
        let last = try #require(rest.last)
        #expect(try await compare(Self.bytes, from: last).isEmpty)
    }

    @Test(arguments: [0, 1, Int(PartPlan.blockBytes), Int(2 * PartPlan.blockBytes) + 4])
    func `one wrong byte anywhere is found, also without known blocks`(index: Int) async throws {
        var stored = Self.bytes
        stored[index] ^= 1
        let place = await mismatch(stored)
        #expect(place.contains("between bytes \(Int64(index) / PartPlan.blockBytes * PartPlan.blockBytes)"))
        #expect(await mismatch(stored, source: BytesSource(bytes: Self.bytes, knowsBlocks: false)).contains("between"))
        #expect(await mismatch(stored, source: nil).contains("another checksum"))
    }

    /// Short answers: HTTP/1.0 that was cut short, or a part of the range (RFC 9110, section 15.3.7).
    @Test func `an answer that ends early is no end of the object`() async throws {
        let seen = try await compare(Self.bytes, answerBytes: 5_000_000)
        #expect(seen.last?.checksum == Self.digests.crc64nvme)
    }

    @Test func `what is shorter or longer is no match`() async throws {
        #expect(await mismatch(Self.bytes.dropLast(1)).contains("instead of"))
        #expect(await mismatch(Self.bytes + [0]).contains("longer"))
        #expect(await mismatch([]).contains("0 bytes"))
    }

    @Test func `a SHA-256 that does not fit is no match, though all blocks do`() async throws {
        let wrong = Digests(sha256: String(repeating: "0", count: 64))
        #expect(await mismatch(Self.bytes, Self.job(wrong)).contains("checksum"))
    }

    @Test func `without source and digests nothing is called right`() async throws {
        let error = await #expect(throws: UploadError.self) {
            _ = try await compare(Self.bytes, Self.job(Digests()), source: nil)
        }
        #expect(error?.code == .invalidFile)
    }

    @Test func `an empty object is read as well`() async throws {
        var job = Self.job(Digests(crc64nvme: CRC64NVME().hexadecimal))
        job.size = 0
        #expect(try await compare([], job, source: BytesSource(bytes: [])).isEmpty)
        #expect(await mismatch([1], job, source: BytesSource(bytes: [])).contains("longer"))
    }
}

private final class Seen: Sendable {
    let all = Mutex<[ReadBack]>([])
}

private struct BytesSource: UploadSource {
    let bytes: [UInt8]
    var knowsBlocks = true

    var size: Int64 { Int64(bytes.count) }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        let part = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        return AsyncThrowingStream { continuation in
            continuation.yield(part)
            continuation.finish()
        }
    }

    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        knowsBlocks ? CRC64NVME(of: bytes[Int(range.lowerBound)..<Int(range.upperBound)]) : nil
    }

    func verifyUnchanged() async throws(UploadError) {}
    func close() async {}
}

private struct BytesDestination: ReadableDestination {
    let stored: [UInt8]
    /// The most bytes of one answer.
    let answerBytes: Int

    var driver: String { "bytes" }
    var limits: TransferLimits { TransferLimits() }

    func canYield(_ job: UploadJob) -> Bool { true }

    func probe(_ job: UploadJob, state: UploadState?) async throws(UploadError) -> ProbeAnswer { .unknowable }

    func open(_ job: UploadJob, resuming state: UploadState?) async throws(UploadError) -> any UploadSession {
        throw UploadError(.rejected, "it only reads")
    }

    func discard(_ state: UploadState, of job: UploadJob) async throws(UploadError) {}

    func read(
        _ object: StoredObject, of job: UploadJob, from offset: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        // The size of a buffer does not divide a block.
        var start = Int(offset)
        let last = min(stored.count, answerBytes == .max ? .max : start + answerBytes)
        while start < last {
            let end = min(start + 700_001, last)
            try await take(Array(stored[start..<end]))
            start = end
        }
    }
}
