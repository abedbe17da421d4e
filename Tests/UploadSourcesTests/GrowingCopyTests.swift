import Foundation
import Glibc
import LinuxFiles
import Testing
import UploadTesting
import Uploads

@testable import UploadSources

/// Copies that workers see before they are complete.
@Suite(.timeLimit(.minutes(10)))
struct GrowingCopyTests {
    private static let size = Int(GrowingCopy.bytesMinimum + PartPlan.blockBytes + 5)
    private static let first = 0..<PartPlan.blockBytes

    private let scratch: TemporaryDirectory
    private let area: StagingArea
    private let original: String
    private let bytes: [UInt8]

    init() async throws {
        scratch = try TemporaryDirectory()
        area = try await StagingArea.open(at: scratch.path("staging"))
        // Random bytes would take longer than all the rest.
        var bytes = [UInt8](repeating: 0, count: Self.size)
        for start in stride(from: 7, to: Self.size, by: Int(PartPlan.blockBytes)) {
            bytes[start] = UInt8(start >> 20) + 1
        }
        self.bytes = bytes
        original = try scratch.write(bytes, to: "original")
    }

    private func begin() async throws -> GrowingCopy {
        try #require(try await area.beginCopy(ofFileAt: FilePath(original)))
    }

    private func claim(_ staged: StagedFile) async throws -> SourceClaim {
        let job = UploadJob(
            source: staged.reference, destination: .url("file:///nowhere"), size: staged.size, digests: staged.digests)
        // A worker opens the area itself.
        return try await LocalSources(areas: [StagingArea.open(at: area.path)], roots: []).claim(job)
    }

    private func source(_ staged: StagedFile) async throws -> any UploadSource {
        guard case .claimed(let source) = try await claim(staged) else {
            throw DidNotHappen("the copy was to be claimed")
        }
        return source
    }

    private func path(_ staged: StagedFile) throws -> String {
        guard case .staged(_, let name) = staged.reference else { throw DidNotHappen("it was to be staged") }
        return area.path + "/" + name
    }

    /// As if nothing had been written for longer than a worker waits.
    private func age(_ staged: StagedFile) throws {
        let old = Date() - CopyGrowth.patience - 1
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path(staged) + ".blocks")
    }

    private func read(_ source: any UploadSource, _ range: Range<Int64>) async throws -> [UInt8] {
        var read: [UInt8] = []
        for try await buffer in source.read(range) { read += buffer.bytes }
        return read
    }

    @Test func `its first block is there at once, and the rest when it is sealed`() async throws {
        let copy = try await begin()
        #expect(copy.staged.size == Int64(Self.size) && copy.staged.digests == Digests())
        let source = try await source(copy.staged)
        #expect(source.size == copy.staged.size)
        let second = PartPlan.blockBytes..<2 * PartPlan.blockBytes
        #expect(try await source.isAvailable(Self.first))
        #expect(try await !source.isAvailable(second))
        #expect(try await read(source, Self.first) == Array(bytes[..<Int(PartPlan.blockBytes)]))
        #expect(try await source.checksum(of: Self.first) == CRC64NVME(of: bytes[..<Int(PartPlan.blockBytes)]))

        let staged = try await copy.finish()
        #expect(staged.digests == Digests(of: bytes) && staged.reference == copy.staged.reference)
        #expect(try await source.isAvailable(second))
        #expect(try await source.isAvailable(0..<source.size))
        #expect(try await read(source, 0..<source.size) == bytes)
        #expect(try await source.checksum(of: 0..<source.size) == CRC64NVME(of: bytes))
        try await source.verifyUnchanged()
        await source.close()

        let later = try await self.source(copy.staged)
        #expect(try await later.isAvailable(0..<later.size))
        await later.close()
        try await area.remove(staged.reference)
        #expect(try FileManager.default.contentsOfDirectory(atPath: area.path) == [".longshore-area"])
    }

    /// All blocks may be copied, and still be lost with the power.
    @Test func `the last byte counts only with the seal`() async throws {
        let copy = try await begin()
        let side = try File.open(path(copy.staged) + ".blocks", O_RDWR)
        let count = (Self.size + Int(PartPlan.blockBytes) - 1) / Int(PartPlan.blockBytes)
        for block in 1..<count { try BlockDigests.write(CRC64NVME(), of: Int64(block), to: side) }
        let source = try await source(copy.staged)
        #expect(try await source.isAvailable(0..<source.size - 1))
        #expect(try await !source.isAvailable(0..<source.size))
        #expect(try await !source.isAvailable(source.size - 1..<source.size))
        await source.close()
    }

    @Test func `two slices never work on it, and it is no remains of a dead program`() async throws {
        let copy = try await begin()
        let source = try await source(copy.staged)
        guard case .busy = try await claim(copy.staged) else { throw DidNotHappen("it was to be busy") }
        await source.close()
        #expect(try await area.sweepUnfinished().count == 0)
        _ = try await copy.finish()
    }

    @Test func `without lock and seal its producer is dead, once nothing was written for a while`() async throws {
        var copy: GrowingCopy? = try await begin()
        let staged = try #require(copy?.staged)
        let source = try await source(staged)
        try age(staged)
        #expect(try await !source.isAvailable(0..<source.size), "its producer lives")
        #expect(try await source.isAvailable(Self.first))
        copy = nil
        let error = await #expect(throws: UploadError.self) { try await source.isAvailable(0..<source.size) }
        #expect(error?.code == .sourceIncomplete && error?.retry == .never)
        #expect(error?.message.contains("enqueue the file again") == true)
        // A program on another host may hold a lock that is not seen here, and writes.
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: path(staged) + ".blocks")
        #expect(try await !source.isAvailable(0..<source.size))
        await source.close()
    }

    @Test func `the clean-up takes it for remains once its producer is dead`() async throws {
        var copy: GrowingCopy? = try await begin()
        let staged = try #require(copy?.staged)
        func kinds() async throws -> [StagedLeftover.Kind] {
            try await area.leftovers(changedBefore: Date() + 1).map(\.kind)
        }
        #expect(try await kinds() == [.copy])
        copy = nil
        #expect(try await kinds() == [.partial])
        for leftover in try await area.leftovers(changedBefore: Date() + 1) {
            #expect(try await area.discard(leftover))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: area.path) == [".longshore-area"])
        guard case .gone = try await claim(staged) else { throw DidNotHappen("it was to be gone") }
    }

    @Test(arguments: [true, false]) func `an original that changes meanwhile leaves no seal`(grows: Bool) async throws {
        let copy = try await begin()
        let file = try File.open(original, O_WRONLY)
        if grows { try file.write([0], at: Int64(Self.size)) } else { try file.truncate(to: 1000) }
        let error = await #expect(throws: UploadError.self) { _ = try await copy.finish() }
        #expect(error?.code == .sourceChanged)
        // The producer lives, and says so by itself.
        let source = try await source(copy.staged)
        let found = await #expect(throws: UploadError.self) { try await source.isAvailable(0..<source.size) }
        #expect(found?.code == .sourceIncomplete)
        await source.close()
    }

    @Test func `a copy whose job has ended is not sealed, and its producer is told`() async throws {
        let copy = try await begin()
        try await area.remove(copy.staged.reference)
        let error = await #expect(throws: UploadError.self) { _ = try await copy.finish() }
        #expect(error?.code == .invalidFile)
        #expect(try FileManager.default.contentsOfDirectory(atPath: area.path) == [".longshore-area"])
    }

    @Test func `what was copied and has changed since is noticed`() async throws {
        let copy = try await begin()
        try File.open(path(copy.staged), O_WRONLY).write([bytes[7] &+ 1], at: 7)
        let source = try await source(copy.staged)
        let error = await #expect(throws: UploadError.self) { _ = try await read(source, Self.first) }
        #expect(error?.code == .sourceChanged && error?.retry == .never)
        await source.close()
    }

    @Test func `digests that fit nothing are no copy to be sent`() async throws {
        let copy = try await begin()
        try File.open(path(copy.staged) + ".blocks", O_WRONLY).write([1], at: 0)
        let error = await #expect(throws: UploadError.self) { _ = try await claim(copy.staged) }
        #expect(error?.code == .invalidFile)
    }

    @Test func `small files are copied as a whole`() async throws {
        try File.open(original, O_WRONLY).truncate(to: GrowingCopy.bytesMinimum)
        #expect(try await area.beginCopy(ofFileAt: FilePath(original)) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: area.path) == [".longshore-area"])
    }
}
