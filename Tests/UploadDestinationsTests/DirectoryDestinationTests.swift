import Foundation
import Glibc
import LinuxFiles
import Testing
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

@Suite(.timeLimit(.minutes(10)))
struct DirectoryDestinationTests {
    private let scratch: TemporaryDirectory
    private let conformance: DestinationConformance

    init() throws {
        let scratch = try TemporaryDirectory()
        self.scratch = scratch
        try FileManager.default.createDirectory(atPath: scratch.path("root"), withIntermediateDirectories: true)
        let name = try DestinationName("archive")
        conformance = DestinationConformance(
            destination: {
                DirectoryDestination(DirectoryConfiguration(path: scratch.path("root"), partBytes: 1000))
            },
            sources: LocalSources(areas: [], roots: []), reference: { .named(name, key: $0) },
            stored: { scratch.read("root/" + $0) }, partBytes: 1000)
    }

    private func code(of job: UploadJob) async throws -> UploadError.Code? {
        await #expect(throws: UploadError.self) { try await conformance.carry(job) }?.code
    }

    @Test(arguments: [
        "", "/absolute", "a/", "a//b", "../a", "a/../../b", "./a", "a\u{0}b", ".x.longshore-job",
        // In Swift, the slash and the combining mark form one character; the kernel sees a slash.
        "../\u{301}a", "/\u{301}a", "a/\u{301}/..", "a/../\u{301}b",
    ])
    func `a key that is no path below the root is refused`(key: String) async throws {
        #expect(try await code(of: conformance.job([1], key: key)) == .rejected)
    }

    @Test func `names up to 255 bytes work, longer ones are refused`() async throws {
        let name = String(repeating: "n", count: 255)
        let job = try conformance.job(DestinationConformance.bytes(2500), key: name)
        try await conformance.carry(job)
        #expect(try await conformance.stored(name)?.count == 2500)
        #expect(try scratch.names(in: "root") == [name])
        #expect(try await code(of: conformance.job([1], key: name + "n")) == .rejected)
    }

    @Test func `links are followed below the root, and not out of it`() async throws {
        try FileManager.default.createDirectory(atPath: scratch.path("root/in"), withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: scratch.path("outside"), withIntermediateDirectories: true)
        #expect(symlink("in", scratch.path("root/inward")) == 0)
        #expect(symlink("../outside", scratch.path("root/outward")) == 0)
        #expect(symlink(scratch.path("outside"), scratch.path("root/absolute")) == 0)
        try await conformance.carry(conformance.job([1], key: "inward/x"))
        #expect(scratch.read("root/in/x") == [1])
        for key in ["outward/x", "absolute/x", "outward/new/x"] {
            #expect(try await code(of: conformance.job([1], key: key)) == .rejected, "\(key)")
        }
        #expect(try scratch.names(in: "outside").isEmpty)
        try scratch.write([9], to: "outside/kept")
        #expect(symlink("../outside/kept", scratch.path("root/link")) == 0)
        try await conformance.carry(conformance.job([2], key: "link"))
        #expect(scratch.read("outside/kept") == [9], "a link under the target's name is replaced, not followed")
    }

    @Test func `a path through a file, a directory under the name and a missing root have errors of their own`()
        async throws
    {
        try scratch.write([], to: "root/file")
        try FileManager.default.createDirectory(
            atPath: scratch.path("root/directory"), withIntermediateDirectories: true)
        #expect(try await code(of: conformance.job([1], key: "file/below")) == .rejected)
        #expect(try await code(of: conformance.job([1], key: "directory")) == .rejected)
        var elsewhere = conformance
        let missing = scratch.path("missing")
        elsewhere.destination = { DirectoryDestination(DirectoryConfiguration(path: missing)) }
        let error = await #expect(throws: UploadError.self) {
            try await elsewhere.carry(elsewhere.job([1], key: "x"))
        }
        #expect(error?.code == .destinationAway)
        #expect(error?.message.contains(missing) == true)
    }

    @Test func `a full file system is told with its remedy and worth another try`() async throws {
        var full = conformance
        // Larger than any disk: the upload reserves its space when it begins.
        var job = try conformance.job([1], key: "huge")
        job.size = 1 << 43
        full.destination = conformance.destination
        let error = await #expect(throws: UploadError.self) { try await full.destination().open(job, resuming: nil) }
        #expect(error?.code == .noSpace || error?.code == .rejected, "ENOSPC, or EFBIG on some file systems")
        #expect(try scratch.names(in: "root").isEmpty)
    }

    /// fallocate(2) takes what there is before it fails.
    @Test func `a file that is too large for the disk takes no space from others`() throws {
        let path = scratch.path("huge")
        let file = try File.open(path, O_RDWR | O_CREAT, mode: 0o600)
        let error = #expect(throws: SystemError.self) { try file.allocate(1 << 43) }
        var status = stat()
        #expect(error?.number == ENOSPC && stat(path, &status) == 0 && status.st_blocks == 0)
    }

    @Test func `a file URL leads below the root`() async throws {
        var job = try conformance.job([5], key: "x")
        job.destination = .url("file://\(scratch.path("root"))/a%20b")
        try await conformance.carry(job)
        #expect(scratch.read("root/a b") == [5])
        job.destination = .url("file:///etc/longshore-test")
        #expect(try await code(of: job) == .rejected)
    }

    @Test func `a damaged record claims nothing`() async throws {
        let job = try conformance.job(DestinationConformance.bytes(5000), key: "x")
        let session = try await conformance.destination().open(job, resuming: nil)
        try await conformance.send(3, of: job, to: session)
        let record = try #require(try scratch.names(in: "root").first { $0.hasSuffix(".parts") })
        var bytes = try #require(scratch.read("root/" + record))
        #expect(bytes.count == 64 + 3 * 32)
        bytes[64 + 32 + 3] ^= 1
        let handle = try FileHandle(forWritingTo: scratch.url("root/" + record))
        try handle.write(contentsOf: bytes)
        try handle.close()
        let again = try await conformance.destination().open(job, resuming: session.state)
        #expect(again.missing.map(\.number) == [2, 4, 5])
    }

    @Test func `a record never speaks of another file`() async throws {
        let job = try conformance.job(DestinationConformance.bytes(3000), key: "x")
        let session = try await conformance.destination().open(job, resuming: nil)
        try await conformance.send(2, of: job, to: session)
        let part = try #require(try scratch.names(in: "root").first { $0.hasSuffix(".part") })
        try scratch.write([UInt8](repeating: 0, count: 3000), to: "other")
        #expect(rename(scratch.path("other"), scratch.path("root/" + part)) == 0)
        #expect(try await conformance.destination().probe(job, state: session.state) == .nothing)
        try await conformance.carry(job)
        #expect(try await conformance.stored("x") == DestinationConformance.bytes(3000))
    }

    @Test func `bytes that are not the job's are never stored`() async throws {
        var job = try conformance.job(DestinationConformance.bytes(3000), key: "x")
        let honest = job
        job.digests = Digests(sha256: String(repeating: "0", count: 64))
        let sources = LocalSources(areas: [], roots: [])
        guard case .claimed(let source) = try await sources.claim(honest) else { throw DidNotHappen.unclaimed }
        let session = try await conformance.destination().open(job, resuming: nil)
        for part in session.missing { try await session.upload(part, from: source) { _ in } }
        let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
        #expect(error?.code == .checksumMismatch)
        #expect(try scratch.names(in: "root").isEmpty, "the next attempt begins anew")
    }

    @Test func `a job that knows only SHA-256 is checked by reading back`() async throws {
        let bytes = DestinationConformance.bytes(3500)
        var job = try conformance.job(bytes, key: "x")
        job.digests = Digests(sha256: Digests(of: bytes, sha256: true).sha256)
        let completed = try await conformance.carry(job)
        #expect(completed.object.digests == Digests(of: bytes, sha256: true))
    }

    @Test func `a staged copy that is damaged is never stored`() async throws {
        let area = try await StagingArea.open(at: scratch.path("staging"))
        let bytes = DestinationConformance.bytes((8 << 20) + 100)
        let staged = try await area.stage(fileAt: scratch.write(bytes, to: "original"))
        guard case .staged(_, let name) = staged.reference else { throw DidNotHappen.unclaimed }
        let handle = try FileHandle(forUpdating: URL(filePath: area.path + "/" + name))
        try handle.seek(toOffset: 8 << 20)
        try handle.write(contentsOf: [~bytes[8 << 20]])
        try handle.close()
        let job = UploadJob(
            source: staged.reference, destination: .url("file://\(scratch.path("root"))/x"), size: staged.size,
            digests: staged.digests)
        let sources = LocalSources(areas: [area], roots: [])
        guard case .claimed(let source) = try await sources.claim(job) else { throw DidNotHappen.unclaimed }
        let destination = DirectoryDestination(DirectoryConfiguration(path: scratch.path("root")))
        let session = try await destination.open(job, resuming: nil)
        #expect(session.plan.count == 2)
        try await session.upload(session.plan.part(1), from: source) { _ in }
        var error = await #expect(throws: UploadError.self) {
            try await session.upload(session.plan.part(2), from: source) { _ in }
        }
        #expect(error?.code == .sourceChanged)
        #expect(session.missing.map(\.number) == [2])
        error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
        #expect(error?.code == .invalidResponse)
        #expect(scratch.read("root/x") == nil)
        await source.close()
    }

    @Test func `parts may be sent all at once`() async throws {
        let bytes = DestinationConformance.bytes(20_000)
        let job = try conformance.job(bytes, key: "parallel")
        let session = try await conformance.destination().open(job, resuming: nil)
        guard case .claimed(let source) = try await conformance.sources.claim(job) else {
            throw DidNotHappen.unclaimed
        }
        try await withThrowingTaskGroup { group in
            for part in session.missing { group.addTask { try await session.upload(part, from: source) { _ in } } }
            try await group.waitForAll()
        }
        let completed = try await session.complete(.absent)
        #expect(try await conformance.stored("parallel") == bytes)
        #expect(try File.status(of: completed.object.location).mode == 0o644)
    }
}

extension DidNotHappen {
    static let unclaimed = DidNotHappen("the source cannot be claimed")
}
