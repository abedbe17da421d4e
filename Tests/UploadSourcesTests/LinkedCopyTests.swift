import Foundation
import Glibc
import LinuxFiles
import Testing
import UploadSources
import UploadTesting
import Uploads

/// Files that are linked into the staging area, and their original names, which are removed afterwards.
@Suite(.timeLimit(.minutes(10)))
struct LinkedCopyTests {
    private static let large = Int(PartPlan.blockBytes) + 5

    private let scratch: TemporaryDirectory
    private let area: StagingArea
    private let sources: LocalSources

    init() async throws {
        scratch = try TemporaryDirectory()
        area = try await StagingArea.open(at: scratch.path("staging"))
        sources = LocalSources(areas: [area], roots: [])
    }

    private func write(_ bytes: [UInt8], mode: mode_t = 0o644) throws -> String {
        let path = try scratch.write(bytes, to: "original")
        #expect(chmod(path, mode) == 0)
        return path
    }

    private func link(_ path: String, sha256: Bool = false) async throws -> StagedFile {
        try #require(try await area.link(fileAt: FilePath(path), sha256: sha256))
    }

    private func path(_ staged: StagedFile) throws -> String {
        guard case .staged(_, let name) = staged.reference else { throw DidNotHappen("it was to be staged") }
        return area.path + "/" + name
    }

    private func claim(_ staged: StagedFile) async throws -> any UploadSource {
        let job = UploadJob(
            source: staged.reference, destination: .url("file:///nowhere"), size: staged.size, digests: staged.digests)
        guard case .claimed(let source) = try await sources.claim(job) else {
            throw DidNotHappen("the copy was to be claimed")
        }
        return source
    }

    private func remove(_ path: String, _ staged: StagedFile) async throws {
        try await MovedOriginal.remove(FilePath(path), if: #require(staged.original), of: staged.size)
    }

    @Test(arguments: [false, true])
    func `a linked file is the file itself, has its digests, and stays when its first name goes`(sha256: Bool)
        async throws
    {
        let bytes = DestinationConformance.bytes(Self.large)
        let original = try write(bytes)
        let staged = try await link(original, sha256: sha256)
        #expect(staged.digests == Digests(of: bytes, sha256: sha256) && staged.size == Int64(bytes.count))
        #expect(try File.status(of: path(staged)).isSameFile(as: File.status(of: original)))
        try await area.synchronize()
        try await remove(original, staged)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["staging"])

        let source = try await claim(staged)
        #expect(
            try await source.checksum(of: 0..<PartPlan.blockBytes) == CRC64NVME(of: bytes[..<Int(PartPlan.blockBytes)]))
        var read: [UInt8] = []
        for try await buffer in source.read(0..<staged.size) { read += buffer.bytes }
        #expect(read == bytes)
        await source.close()
    }

    @Test func `a program that writes into the file later makes the upload fail`() async throws {
        let original = try write(DestinationConformance.bytes(Self.large))
        let writer = try File.open(original, O_WRONLY)
        let staged = try await link(original)
        try await remove(original, staged)
        try writer.write([1, 2, 3], at: 0)
        let source = try await claim(staged)
        let error = await #expect(throws: UploadError.self) {
            for try await _ in source.read(0..<staged.size) {}
        }
        #expect(error?.code == .sourceChanged)
        await source.close()
    }

    @Test func `what cannot be linked is left to be copied, and leaves nothing`() async throws {
        #expect(try await area.link(fileAt: FilePath(write([1, 2, 3]))) == nil, "small")
        let bytes = DestinationConformance.bytes(Self.large)
        #expect(try await area.link(fileAt: FilePath(write(bytes, mode: 0o600))) == nil, "private")
        let original = try write(bytes)
        #expect(symlink(original, scratch.path("link")) == 0)
        #expect(try await area.link(fileAt: FilePath(scratch.path("link"))) == nil, "a symbolic link")
        #expect(Glibc.link(original, scratch.path("other")) == 0)
        #expect(try await area.link(fileAt: FilePath(original)) == nil, "two names")
        #expect(try FileManager.default.contentsOfDirectory(atPath: area.path).allSatisfy { $0.hasPrefix(".") })
        // /dev/shm is another file system.
        let shared = "/dev/shm/longshore-\(JobID().rawValue)"
        defer { unlink(shared) }
        try Data(bytes).write(to: URL(filePath: shared))
        #expect(try await area.link(fileAt: FilePath(shared)) == nil, "another file system")
    }

    @Test func `an old file that was linked a moment ago is young to a clean-up`() async throws {
        let original = try write(DestinationConformance.bytes(Self.large))
        let old = Date(timeIntervalSince1970: 1_000_000_000)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: original)
        let staged = try await link(original)
        let hourAgo = Date(timeIntervalSinceNow: -3600)
        #expect(try await area.leftovers(changedBefore: hourAgo).isEmpty)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path(staged) + ".blocks")
        #expect(try await area.leftovers(changedBefore: hourAgo).map(\.kind) == [.copy])
    }

    @Test func `a file that changed or was replaced after it was read keeps its name`() async throws {
        for isReplaced in [false, true] {
            let original = try write([1, 2, 3])
            let staged = try await area.stage(fileAt: original)
            if isReplaced {
                try scratch.write([1, 2, 3], to: "next")
                #expect(rename(scratch.path("next"), original) == 0)
            } else {
                try scratch.write([3, 2, 1], to: "original")
            }
            let error = await #expect(throws: UploadError.self) { try await remove(original, staged) }
            #expect(error?.code == .sourceChanged && error?.message.contains("original") == true)
            #expect(try Data(contentsOf: URL(filePath: original)) == Data(isReplaced ? [1, 2, 3] : [3, 2, 1]))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == ["original", "staging"])
        }
    }

    @Test func `of a symbolic link the name goes, and what is gone already is told`() async throws {
        let original = try write([1, 2, 3])
        #expect(symlink("original", scratch.path("link")) == 0)
        let staged = try await area.stage(fileAt: scratch.path("link"))
        try await remove(scratch.path("link"), staged)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == ["original", "staging"])
        try await remove(original, staged)
        let error = await #expect(throws: UploadError.self) { try await remove(original, staged) }
        #expect(error?.code == .invalidFile)
    }
}
