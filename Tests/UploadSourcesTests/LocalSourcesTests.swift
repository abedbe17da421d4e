import Foundation
import Glibc
import LinuxFiles
import Testing
import UploadSources
import UploadTesting
import Uploads

@Suite(.timeLimit(.minutes(10)))
struct LocalSourcesTests {
    private let scratch: TemporaryDirectory
    private let area: StagingArea
    private let sources: LocalSources

    init() async throws {
        scratch = try TemporaryDirectory()
        area = try await StagingArea.open(at: scratch.path("staging"))
        sources = LocalSources(areas: [area], roots: [scratch.path])
    }

    private func job(_ staged: StagedFile) -> UploadJob {
        UploadJob(
            source: staged.reference, destination: .url("file:///nowhere"), size: staged.size, digests: staged.digests)
    }

    private func stage(_ bytes: [UInt8]) async throws -> (job: UploadJob, path: String) {
        let staged = try await area.stage(fileAt: scratch.write(bytes, to: "original"))
        guard case .staged(_, let name) = staged.reference else { throw DidNotHappen.notStaged }
        return (job(staged), area.path + "/" + name)
    }

    private func claim(_ job: UploadJob) async throws -> any UploadSource {
        guard case .claimed(let source) = try await sources.claim(job) else { throw DidNotHappen.notStaged }
        return source
    }

    private func read(_ range: Range<Int64>, of source: any UploadSource) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in source.read(range) {
            #expect(buffer.count <= 1 << 20)
            bytes += buffer.bytes
        }
        return bytes
    }

    /// Writes one byte into a file directly.
    private func damage(_ path: String, at offset: UInt64) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.seek(toOffset: offset)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: [~byte])
        try handle.close()
    }

    @Test func `the checksums of whole blocks of a staged copy are known without reading it`() async throws {
        let bytes = DestinationConformance.bytes((8 << 20) * 2 + 77)
        let (job, path) = try await stage(bytes)
        let source = try await claim(job)
        // The copy is damaged afterwards, so the checksums must come from the side file.
        try damage(path, at: 5)
        let size = Int64(bytes.count)
        let block = PartPlan.blockBytes
        for range in [0..<size, 0..<block, block..<size, block..<2 * block, 2 * block..<size] {
            let expected = CRC64NVME(of: bytes[Int(range.lowerBound)..<Int(range.upperBound)])
            #expect(try await source.checksum(of: range) == expected, "\(range)")
        }
        for range in [1..<block, 0..<block - 1, 0..<5, 0..<size - 1] {
            #expect(try await source.checksum(of: range) == nil, "\(range) cuts a block")
        }
        await source.close()
    }

    @Test func `any range of a staged copy can be read, several at once`() async throws {
        let bytes = DestinationConformance.bytes((8 << 20) * 2 + 77)
        let source = try await claim(stage(bytes).job)
        let size = Int64(bytes.count)
        let block = PartPlan.blockBytes
        let ranges = [0..<size, 0..<block, block..<size, 5..<6, block - 1..<block + 1, 100..<size - 100, size..<size]
        try await withThrowingTaskGroup { group in
            for range in ranges {
                group.addTask {
                    let expected = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
                    let found = try await read(range, of: source)
                    #expect(found == expected, "\(range)")
                }
            }
            try await group.waitForAll()
        }
        try await source.verifyUnchanged()
        await source.close()
    }

    @Test func `a copy is claimed once at a time, and again after it is closed`() async throws {
        let (job, _) = try await stage([1, 2, 3])
        let source = try await claim(job)
        guard case .busy = try await sources.claim(job) else {
            Issue.record("a second claim within the process gets the lock")
            return
        }
        await source.close()
        await source.close()
        try await claim(job).close()
    }

    @Test func `another process's lock keeps the copy`() async throws {
        let (job, path) = try await stage([1, 2, 3])
        let ready = scratch.path("ready")
        let process = try ChildProcess(
            "/usr/bin/flock", ["--no-fork", path, "/bin/sh", "-c", "touch \(ready); exec sleep 60"])
        try await eventually("the other process has the lock") { FileManager.default.fileExists(atPath: ready) }
        let answer = try await sources.claim(job)
        process.stop()
        guard case .busy = answer else {
            Issue.record("another process's lock is ignored")
            return
        }
        try await claim(job).close()
    }

    @Test func `a removed copy is gone, a foreign area unknown, and a cut copy changed`() async throws {
        let (removed, _) = try await stage([1, 2, 3])
        try await sources.removeStagedCopy(of: removed)
        try await sources.removeStagedCopy(of: removed)
        guard case .gone = try await sources.claim(removed) else {
            Issue.record("a removed copy is claimed")
            return
        }
        var foreign = removed
        foreign.source = .staged(area: "elsewhere", name: "x")
        guard case .unknownArea("elsewhere") = try await sources.claim(foreign) else {
            Issue.record("a foreign area is claimed")
            return
        }
        let (cut, path) = try await stage([1, 2, 3])
        #expect(truncate(path, 2) == 0)
        let error = await #expect(throws: UploadError.self) { try await sources.claim(cut) }
        #expect(error?.code == .sourceChanged)
    }

    @Test func `the holder of the claim can remove the copy under it`() async throws {
        let (job, _) = try await stage([1, 2, 3])
        let source = try await claim(job)
        try await sources.removeStagedCopy(of: job)
        let error = await #expect(throws: UploadError.self) { try await source.verifyUnchanged() }
        #expect(error?.code == .sourceChanged)
        await source.close()
        guard case .gone = try await sources.claim(job) else {
            Issue.record("a removed copy is claimed")
            return
        }
    }

    @Test(arguments: [0, 8 << 20, (8 << 20) + 4_000_000, (16 << 20) + 76])
    func `damage in a block is found before the block's last buffer is handed out`(offset: Int) async throws {
        let bytes = DestinationConformance.bytes((8 << 20) * 2 + 77)
        let (job, path) = try await stage(bytes)
        try damage(path, at: UInt64(offset))
        let source = try await claim(job)
        let block = Int64(offset) / PartPlan.blockBytes
        let range = block * PartPlan.blockBytes..<min((block + 1) * PartPlan.blockBytes, Int64(bytes.count))
        for range in [range, 0..<Int64(bytes.count), range.lowerBound..<range.lowerBound + 1] {
            var count: Int64 = 0
            let error = await #expect(throws: UploadError.self) {
                for try await buffer in source.read(range) { count += Int64(buffer.count) }
            }
            #expect(error?.code == .sourceChanged)
            #expect(range.lowerBound + count < range.upperBound, "\(range)")
        }
        await source.close()
    }

    @Test func `without the digests of its blocks a copy is checked when it is read as a whole`() async throws {
        let size = PartPlan.blockBytes + 1
        let (job, path) = try await stage(DestinationConformance.bytes(Int(size)))
        try FileManager.default.removeItem(atPath: path + ".blocks")
        try damage(path, at: 10)
        let source = try await claim(job)
        #expect(try await read(0..<100, of: source).count == 100)
        let error = await #expect(throws: UploadError.self) { try await read(0..<size, of: source) }
        #expect(error?.code == .sourceChanged)
        await source.close()
    }

    @Test(arguments: [1, 3_000_000, PartPlan.blockBytes])
    func `each part of a copy of one block is checked by the job's digest, and no file lies beside the copy`(
        size: Int64
    ) async throws {
        let (job, path) = try await stage(DestinationConformance.bytes(Int(size)))
        #expect(!FileManager.default.fileExists(atPath: path + ".blocks"))
        let whole = try await claim(job)
        #expect(try await whole.checksum(of: 0..<size)?.hexadecimal == job.digests.crc64nvme)
        #expect(try await read(0..<1, of: whole).count == 1)
        await whole.close()
        try damage(path, at: UInt64(size - 1))
        let damaged = try await claim(job)
        let error = await #expect(throws: UploadError.self) { try await read(0..<1, of: damaged) }
        #expect(error?.code == .sourceChanged)
        await damaged.close()
    }

    @Test func `a file in place is read below its roots, and nowhere else`() async throws {
        let path = try scratch.write([1, 2, 3], to: "in place")
        let examined = try await LocalSources.examine(fileAt: FilePath(path))
        #expect(examined.digests == Digests())
        let source = try await claim(job(examined))
        #expect(try await read(0..<3, of: source) == [1, 2, 3])
        #expect(try await source.checksum(of: 0..<3) == CRC64NVME(of: [1, 2, 3]))
        try await source.verifyUnchanged()
        await source.close()

        #expect(symlink("/etc/hostname", scratch.path("link")) == 0)
        for path in ["/etc/passwd", scratch.path("link"), scratch.path + "x/y", scratch.path("../etc"), "in place"] {
            let job = UploadJob(
                source: .file(path: FilePath(path), identity: FileIdentity()), destination: .url("file:///x"), size: 3)
            let error = await #expect(throws: UploadError.self) { try await sources.claim(job) }
            #expect(error?.code == .invalidFile, "\(path)")
        }
    }

    @Test(arguments: [0, 8 << 20, (8 << 20) + 1, (20 << 20) + 3], [false, true])
    func `a file in place has its digests on request, however many threads read it`(size: Int, sha256: Bool)
        async throws
    {
        let bytes = DestinationConformance.bytes(size)
        let path = FilePath(try scratch.write(bytes, to: "in place"))
        let examined = try await LocalSources.examine(fileAt: path, computing: sha256 ? .sha256 : .crc64nvme)
        #expect(examined.size == Int64(size))
        #expect(examined.digests == Digests(of: bytes, sha256: sha256))
    }

    @Test(arguments: [LocalSources.ComputedDigests.none, .crc64nvme, .sha256])
    func `a file that has more bytes than its size is not taken for an empty one`(
        computed: LocalSources.ComputedDigests
    ) async throws {
        let error = await #expect(throws: UploadError.self) {
            try await LocalSources.examine(fileAt: FilePath("/proc/self/status"), computing: computed)
        }
        #expect(error?.code == .sourceChanged)
    }

    @Test func `a file whose name is not UTF-8 is staged and read in place`() async throws {
        let name = FilePath(scratch.path).appending(Array("100%".utf8) + [0xFF])
        let plain = try scratch.write([1, 2, 3], to: "plain")
        #expect(
            (name.bytes + [0]).withUnsafeBytes { rename(plain, $0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
                == 0)
        for staged in [try await LocalSources.examine(fileAt: name), try await area.stage(fileAt: name)] {
            let source = try await claim(job(staged))
            #expect(try await read(0..<3, of: source) == [1, 2, 3])
            try await source.verifyUnchanged()
            await source.close()
        }
        let other = FilePath(scratch.path).appending([0xFE])
        let error = await #expect(throws: UploadError.self) { try await area.stage(fileAt: other) }
        #expect(error?.message.hasPrefix("\(scratch.path)/%FE does not exist") == true, "\(String(describing: error))")
    }

    /// To Swift the two spellings of a root's name are equal, to the file system they are two directories.
    @Test func `a root is the directory of its bytes`() async throws {
        let (allowed, other) = (scratch.path("caf\u{e9}"), scratch.path("cafe\u{301}"))
        for directory in [allowed, other] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data([1]).write(to: URL(filePath: directory + "/x"))
        }
        let sources = LocalSources(areas: [], roots: [allowed])
        for (path, isAllowed) in [(allowed + "/x", true), (other + "/x", false)] {
            let job = UploadJob(
                source: .file(path: FilePath(path), identity: FileIdentity()), destination: .url("file:///x"), size: 1)
            let claimed = try? await sources.claim(job)
            #expect((claimed != nil) == isAllowed, "\(path)")
            if case .claimed(let source)? = claimed { await source.close() }
        }
    }

    @Test func `a file in place that changed is refused, before and while it is read`() async throws {
        let path = try scratch.write([1, 2, 3], to: "in place")
        let job = try await job(LocalSources.examine(fileAt: FilePath(path)))
        let source = try await claim(job)
        try damage(path, at: 0)
        var error = await #expect(throws: UploadError.self) { try await read(0..<3, of: source) }
        #expect(error?.code == .sourceChanged)
        await source.close()
        try scratch.write([1, 2, 3, 4], to: "in place")
        error = await #expect(throws: UploadError.self) { try await sources.claim(job) }
        #expect(error?.code == .sourceChanged)
        try scratch.write([3, 2, 1], to: "in place")
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 9)], ofItemAtPath: path)
        error = await #expect(throws: UploadError.self) { try await sources.claim(job) }
        #expect(error?.code == .sourceChanged)
    }

    /// Puts back the time of a file's last change.
    private func keepTime(of path: String, _ change: () throws -> Void) throws {
        let nanoseconds = try File.status(of: path).modifiedNanoseconds
        try change()
        let time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        #expect(try File.status(of: path).modifiedNanoseconds == nanoseconds)
    }

    @Test func `a file of the same size, time and name is another one by its inode, where the file system is the same`()
        async throws
    {
        let path = try scratch.write([1, 2, 3], to: "in place")
        var job = try await job(LocalSources.examine(fileAt: FilePath(path)))
        try keepTime(of: path) {
            try scratch.write([3, 2, 1], to: "other")
            #expect(rename(scratch.path("other"), path) == 0)
        }
        let error = await #expect(throws: UploadError.self) { try await claim(job) }
        #expect(error?.code == .sourceChanged)
        guard case .file(let name, var identity) = job.source else { throw DidNotHappen("the file was to be in place") }
        #expect(identity.fileSystem != nil)
        // So a worker sees it that has the directory by NFS.
        identity.fileSystem = 1
        job.source = .file(path: name, identity: identity)
        try await claim(job).close()
    }

    @Test func `a change of the time by a nanosecond is noticed`() async throws {
        let path = try scratch.write([1, 2, 3], to: "in place")
        let set = { (nanoseconds: Int) in
            let time = timespec(tv_sec: 1_700_000_000, tv_nsec: nanoseconds)
            return utimensat(AT_FDCWD, path, [time, time], 0)
        }
        #expect(set(5) == 0)
        let job = try await job(LocalSources.examine(fileAt: FilePath(path)))
        try await claim(job).close()
        #expect(set(6) == 0)
        let error = await #expect(throws: UploadError.self) { try await claim(job) }
        #expect(error?.code == .sourceChanged)
    }

    /// What the kernel would send.
    private func bytes(_ file: SourceFileRange) throws -> [UInt8] {
        let handle = FileHandle(fileDescriptor: try file.duplicate(), closeOnDealloc: true)
        try handle.seek(toOffset: UInt64(file.range.lowerBound))
        return Array(try handle.read(upToCount: file.range.count) ?? Data())
    }

    @Test func `a file in place may be sent as it lies once its checksum is known`() async throws {
        let bytes = DestinationConformance.bytes(300_000)
        let path = try scratch.write(bytes, to: "in place")
        let source = try await claim(job(LocalSources.examine(fileAt: FilePath(path))))
        #expect(try await source.fileRange(1000..<2000) == nil)
        _ = try await source.readChecksum(of: 1000..<2000)
        let file = try #require(try await source.fileRange(1000..<2000))
        await source.close()
        #expect(file.range == 1000..<2000)
        #expect(try self.bytes(file) == Array(bytes[1000..<2000]))
        try file.check()
        #expect(truncate(path, 1999) == 0)
        let error = #expect(throws: UploadError.self) { try file.check() }
        #expect(error?.code == .sourceChanged && error?.message.contains(path) == true)
    }

    @Test func `blocks of a staged copy may be sent as they lie once they are compared`() async throws {
        let bytes = DestinationConformance.bytes(2 * Int(PartPlan.blockBytes) + 5)
        let blocks = [0..<PartPlan.blockBytes, PartPlan.blockBytes..<Int64(bytes.count)]
        let (job, path) = try await stage(bytes)
        let source = try await claim(job)
        for range in blocks {
            let file = try #require(try await source.fileRange(range))
            #expect(try self.bytes(file) == Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
        #expect(try await source.fileRange(5..<PartPlan.blockBytes) == nil, "its checksum is not known")
        try keepTime(of: path) { try damage(path, at: UInt64(bytes.count - 1)) }
        #expect(try await source.fileRange(blocks[0]) != nil)
        let error = await #expect(throws: UploadError.self) { try await source.fileRange(blocks[1]) }
        #expect(error?.code == .sourceChanged && error?.message.contains("block 3") == true, "\(error as Any)")
        await source.close()
    }

    @Test func `the checksum of a file in place comes from what was read of it, by several slices`() async throws {
        let bytes = DestinationConformance.bytes(3_000_000)
        let job = try await job(
            LocalSources.examine(fileAt: FilePath(try scratch.write(bytes, to: "in place"))))
        let first = try await claim(job)
        #expect(first.checksums == FileChecksums())
        _ = try await read(1_000_000..<2_000_000, of: first)
        #expect(try await first.checksum(of: 1_000_000..<2_000_000) == CRC64NVME(of: bytes[1_000_000..<2_000_000]))
        // A reading that stops in between tells nothing.
        for try await _ in first.read(0..<1_500_000) { break }
        let carried = try #require(first.checksums)
        #expect(carried.stretches.map(\.range) == [1_000_000..<2_000_000])
        await first.close()

        let second = try await claim(job)
        second.take(carried)
        #expect(try await second.checksum(of: 0..<3_000_000) == nil)
        try await second.readUnread()
        #expect(try await second.checksum(of: 0..<3_000_000) == CRC64NVME(of: bytes))
        await second.close()
    }

    @Test func `a range is read for its checksum alone, and the whole is compared with the job's`() async throws {
        let bytes = DestinationConformance.bytes(20_000_000)
        let path = try scratch.write(bytes, to: "in place")
        let examined = try await LocalSources.examine(fileAt: FilePath(path), computing: .crc64nvme)
        let source = try await claim(job(examined))
        #expect(try await source.readChecksum(of: 5..<17_000_000) == CRC64NVME(of: bytes[5..<17_000_000]))
        #expect(try await source.checksum(of: 5..<17_000_000) == CRC64NVME(of: bytes[5..<17_000_000]))
        try keepTime(of: path) { try damage(path, at: 0) }
        let error = await #expect(throws: UploadError.self) { try await source.readUnread() }
        #expect(error?.code == .sourceChanged)
        await source.close()
    }

    @Test func `a file of which only the SHA-256 is known is compared with it`() async throws {
        let path = try scratch.write([1, 2, 3], to: "in place")
        var job = try await job(LocalSources.examine(fileAt: FilePath(path)))
        job.digests.sha256 = Digests(of: [1, 2, 4], sha256: true).sha256
        let source = try await claim(job)
        _ = try await source.readChecksum(of: 0..<3)
        let error = await #expect(throws: UploadError.self) { try await read(0..<3, of: source) }
        #expect(error?.code == .sourceChanged)
        await source.close()
    }

    @Test func `parts are compared with the digest that the job has of the whole`() async throws {
        let path = try scratch.write(DestinationConformance.bytes(100_000), to: "in place")
        let examined = try await LocalSources.examine(fileAt: FilePath(path), computing: .crc64nvme)
        try keepTime(of: path) { try damage(path, at: 0) }
        let source = try await claim(job(examined))
        #expect(try await read(0..<50_000, of: source).count == 50_000)
        let error = await #expect(throws: UploadError.self) { try await read(50_000..<100_000, of: source) }
        #expect(error?.code == .sourceChanged)
        await source.close()
    }

    @Test func `a file replaced under its name is noticed before the completing call`() async throws {
        let path = try scratch.write([1, 2, 3], to: "in place")
        let source = try await claim(job(LocalSources.examine(fileAt: FilePath(path))))
        try scratch.write([1, 2, 3], to: "other")
        #expect(rename(scratch.path("other"), path) == 0)
        let error = await #expect(throws: UploadError.self) { try await source.verifyUnchanged() }
        #expect(error?.code == .sourceChanged)
        await source.close()
    }

    @Test func `inline bytes must be what the job says`() async throws {
        var job = UploadJob(
            source: .inline(Data([1, 2, 3])), destination: .url("file:///x"), size: 3, digests: Digests(of: [1, 2, 3]))
        #expect(try await read(1..<3, of: claim(job)) == [2, 3])
        job.digests = Digests(of: [1, 2, 4])
        let error = await #expect(throws: UploadError.self) { try await sources.claim(job) }
        #expect(error?.code == .sourceChanged)
    }
}
