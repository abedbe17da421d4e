import Crypto
import Foundation
import Glibc
import LinuxFiles
import Testing
import UploadSources
import UploadTesting
import Uploads

@Suite(.timeLimit(.minutes(10)))
struct StagingAreaTests {
    private let scratch: TemporaryDirectory
    private let area: StagingArea

    init() async throws {
        scratch = try TemporaryDirectory()
        area = try await StagingArea.open(at: scratch.path("state/staging"))
    }

    private func copyPath(_ staged: StagedFile) throws -> String {
        guard case .staged(let id, let name) = staged.reference else { throw DidNotHappen.notStaged }
        #expect(id == area.id)
        return area.path + "/" + name
    }

    @Test func `opening creates the directory for its group, and a second opening finds the same id`() async throws {
        let status = try File.status(of: area.path)
        #expect(status.mode == 0o2770)
        #expect(try await StagingArea.open(at: area.path).id == area.id)
        #expect(UUID(uuidString: area.id) != nil)
    }

    @Test func `many that open a new area at once agree on its id`() async throws {
        let path = scratch.path("raced")
        let ids = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<24 { group.addTask { try await StagingArea.open(at: path).id } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(try scratch.names(in: "raced") == [".longshore-area"])
    }

    @Test func `an area whose id is damaged, a file in its place and an unknown group are refused`() async throws {
        try scratch.write(Array("nonsense".utf8), to: "state/staging/.longshore-area")
        try scratch.write([], to: "file")
        for path in [area.path, scratch.path("file"), scratch.path("file/below")] {
            let error = await #expect(throws: UploadError.self) { try await StagingArea.open(at: path) }
            #expect(error?.code == .misconfigured)
        }
        let error = await #expect(throws: UploadError.self) {
            try await StagingArea.open(at: scratch.path("grouped"), group: "no-such-group-here")
        }
        #expect(error?.code == .misconfigured)
    }

    @Test(arguments: [0, 1, 1 << 20, (8 << 20) - 1, 8 << 20, (8 << 20) + 1, 16 << 20])
    func `a staged file is a copy with its digests`(size: Int) async throws {
        let bytes = DestinationConformance.bytes(size)
        let original = try scratch.write(bytes, to: "original")
        #expect(try await area.stage(fileAt: original).digests == Digests(crc64nvme: CRC64NVME(of: bytes).hexadecimal))
        let staged = try await area.stage(fileAt: original, sha256: true)
        #expect(staged.size == Int64(size))
        #expect(staged.digests.sha256 == Hexadecimal.text(of: SHA256.hash(data: bytes)))
        #expect(staged.digests.crc64nvme == CRC64NVME(of: bytes).hexadecimal)
        #expect(staged.digests == Digests(of: bytes, sha256: true))
        let copy = try copyPath(staged)
        #expect(try Data(contentsOf: URL(filePath: copy)) == Data(bytes))
        #expect(try File.status(of: copy).mode == 0o640)
        try await area.synchronize()
    }

    @Test func `a stream is staged like a file`() async throws {
        let bytes = DestinationConformance.bytes((8 << 20) + 12345)
        let chunks = AsyncThrowingStream<[UInt8], any Error> { continuation in
            for start in stride(from: 0, to: bytes.count, by: 300_000) {
                continuation.yield(Array(bytes[start..<min(start + 300_000, bytes.count)]))
            }
            continuation.finish()
        }
        let staged = try await area.stage(chunks)
        #expect(staged.size == Int64(bytes.count))
        #expect(staged.digests == Digests(of: bytes))
    }

    @Test func `a stream that fails leaves nothing`() async throws {
        let chunks = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield([1, 2, 3])
            continuation.finish(throwing: DidNotHappen.notStaged)
        }
        let error = await #expect(throws: UploadError.self) { try await area.stage(chunks) }
        #expect(error?.code == .invalidFile)
        #expect(try scratch.names(in: "state/staging") == [".longshore-area"])
    }

    @Test func `what cannot be staged is refused and leaves nothing`() async throws {
        try FileManager.default.createDirectory(atPath: scratch.path("directory"), withIntermediateDirectories: true)
        #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
        for name in ["missing", "directory", "pipe"] {
            let error = await #expect(throws: UploadError.self) { try await area.stage(fileAt: scratch.path(name)) }
            #expect(error?.code == .invalidFile)
            #expect(error?.message.contains(scratch.path(name)) == true)
        }
        #expect(try scratch.names(in: "state/staging") == [".longshore-area"])
    }

    @Test(arguments: [3, Int(PartPlan.blockBytes) + 1])
    func `one file staged twice has two names, and removal takes copy and digests`(size: Int) async throws {
        let path = try scratch.write([UInt8](repeating: 7, count: size), to: "original")
        let first = try await area.stage(fileAt: path)
        let second = try await area.stage(fileAt: path)
        #expect(first.reference != second.reference)
        try await area.synchronize()
        try await area.remove(first.reference)
        try await area.remove(first.reference)
        #expect(try !FileManager.default.fileExists(atPath: copyPath(first)))
        #expect(try FileManager.default.fileExists(atPath: copyPath(second)))
        #expect(try scratch.names(in: "state/staging").count == (size > 3 ? 3 : 2), "the id, a copy, digests of blocks")
    }

    @Test func `many files are made durable by one call`() async throws {
        let path = try scratch.write([1, 2, 3], to: "original")
        for _ in 0..<20 { _ = try await area.stage(fileAt: path) }
        try await area.synchronize()
        try await area.synchronize()
    }

    @Test func `a name that leads elsewhere is refused`() async throws {
        for name in ["", "../x", "a/b", ".longshore-area", "copy.blocks"] {
            let error = await #expect(throws: UploadError.self) {
                try await area.remove(.staged(area: area.id, name: name))
            }
            #expect(error?.code == .invalidFile)
        }
    }
}

extension DidNotHappen {
    static let notStaged = DidNotHappen("this is no staged copy")
}
