import Foundation
import Synchronization
import Testing
import UploadSources
import UploadTesting
import Uploads

/// The rules for every staging area: a directory, and a place at a destination.
struct StagingConformance: Sendable {
    /// Copies a file, as a producer does.
    let stage: @Sendable (FilePath) async throws -> StagedFile
    /// Copies a stream.
    let stageStream: @Sendable (ChunkSequence) async throws -> StagedFile
    /// Opens and removes copies, as a worker does.
    let sources: any SourceProvider
    /// Finds and removes leftovers, as a notifier does.
    let sweepable: any SweepableStaging
    /// Replaces the bytes of what has this name in the area, behind everyone's back.
    let overwrite: @Sendable (_ name: String, _ bytes: [UInt8]) async throws -> Void
    /// Begins the upload of a copy of this name, as a producer that dies then; nil where copies are no uploads.
    var begin: (@Sendable (_ name: String) async throws -> Void)?
    /// The names of all that is in the area.
    let names: @Sendable () async throws -> Set<String>
    /// Whether a copy is locked while it is open.
    var locks = false

    static let block = Int(PartPlan.blockBytes)

    func allRules() async throws {
        try await whatWasStagedIsReadByRanges()
        try await aStreamIsStaged()
        try await aDamagedBlockIsNotHandedOut()
        try await whatIsNotThereIsTold()
        try await twoSlicesAreKeptApartOnlyByALock()
        try await whatNoJobNeedsIsFoundAndRemoved()
    }

    // MARK: Rules

    func whatWasStagedIsReadByRanges() async throws {
        let scratch = try TemporaryDirectory()
        for count in [100_000, Self.block, Self.block + 1, 2 * Self.block + 77] {
            let bytes = DestinationConformance.bytes(count, seed: UInt8(count % 251))
            let path = FilePath(try scratch.write(bytes, to: "file"))
            let staged = try await stage(path)
            #expect(staged.size == Int64(count))
            #expect(staged.digests.crc64nvme == CRC64NVME(of: bytes).hexadecimal)
            #expect(staged.original != nil)
            // The original may go as soon as it is copied.
            try FileManager.default.removeItem(atPath: path.description)
            let source = try await open(job(of: staged))
            #expect(source.size == Int64(count) && source.isLocked == locks)
            #expect(try await read(source, 0..<Int64(count)) == bytes)
            for range in [0..<0, 1..<2, count - 1..<count, count / 3..<count / 2, count - 5..<count + 5] {
                let wanted = Array(bytes[range.clamped(to: 0..<count)])
                #expect(try await read(source, Int64(range.lowerBound)..<Int64(range.upperBound)) == wanted, "\(range)")
            }
            for start in stride(from: 0, to: count, by: Self.block) {
                let range = start..<min(start + Self.block, count)
                let known = try await source.checksum(of: Int64(range.lowerBound)..<Int64(range.upperBound))
                #expect(known == CRC64NVME(of: Array(bytes[range])))
            }
            try await source.verifyUnchanged()
            await source.close()
            try await remove(staged)
        }
        #expect(try await copies().isEmpty)
    }

    func aStreamIsStaged() async throws {
        let bytes = DestinationConformance.bytes(Self.block + 4567, seed: 3)
        let staged = try await stageStream(ChunkSequence(bytes: bytes))
        #expect(staged.size == Int64(bytes.count) && staged.original == nil)
        let source = try await open(job(of: staged))
        #expect(try await read(source, 0..<staged.size) == bytes)
        await source.close()
        try await remove(staged)
    }

    func aDamagedBlockIsNotHandedOut() async throws {
        let scratch = try TemporaryDirectory()
        let bytes = DestinationConformance.bytes(2 * Self.block, seed: 9)
        let staged = try await stage(FilePath(try scratch.write(bytes, to: "file")))
        var damaged = bytes
        damaged[Self.block + 5] ^= 1
        try await overwrite(name(of: staged), damaged)
        let source = try await open(job(of: staged))
        #expect(
            try await read(source, 0..<Int64(Self.block)) == Array(bytes[..<Self.block]), "the first block is sound")
        let handedOut = Mutex(0)
        let error = try await #require(throws: UploadError.self) {
            for try await buffer in source.read(Int64(Self.block)..<Int64(2 * Self.block)) {
                handedOut.withLock { $0 += buffer.withUnsafeBytes(\.count) }
            }
        }
        #expect(error.code == .sourceChanged && error.message.contains("in its block 2"), "\(error)")
        #expect(handedOut.withLock { $0 } < Self.block, "a request with a declared length would be complete")
        await source.close()
        try await remove(staged)
    }

    func whatIsNotThereIsTold() async throws {
        let scratch = try TemporaryDirectory()
        let staged = try await stage(
            FilePath(try scratch.write(DestinationConformance.bytes(70_000, seed: 1), to: "f")))
        var foreign = job(of: staged)
        foreign.source = .staged(area: UUID().uuidString.lowercased(), name: name(of: staged))
        guard case .unknownArea = try await sources.claim(foreign) else {
            Issue.record("a copy of another area was opened")
            return
        }
        try await sources.removeStagedCopy(of: foreign)
        #expect(try await copies() == [name(of: staged)], "another area's copy is none of ours")
        var longer = job(of: staged)
        longer.size += 1
        let error = await #expect(throws: UploadError.self) { try await sources.claim(longer) }
        #expect(error?.code == .sourceChanged)
        for name in ["../x", "a/b", ".longshore-area", ""] {
            var odd = job(of: staged)
            odd.source = .staged(area: sweepable.id, name: name)
            await #expect(throws: UploadError.self, "\(name)") { try await sources.claim(odd) }
            await #expect(throws: UploadError.self, "\(name)") { try await sources.removeStagedCopy(of: odd) }
        }
        try await remove(staged)
        guard case .gone = try await sources.claim(job(of: staged)) else {
            Issue.record("a copy that is gone was opened")
            return
        }
        // A repeated removal, after a crash, is no error.
        try await remove(staged)
    }

    func twoSlicesAreKeptApartOnlyByALock() async throws {
        let scratch = try TemporaryDirectory()
        let staged = try await stage(
            FilePath(try scratch.write(DestinationConformance.bytes(70_000, seed: 2), to: "f")))
        let first = try await open(job(of: staged))
        switch try await sources.claim(job(of: staged)) {
        case .busy: #expect(locks)
        case .claimed(let second):
            #expect(!locks)
            #expect(try await read(second, 0..<staged.size) == read(first, 0..<staged.size))
            await second.close()
        default: Issue.record("the copy is there")
        }
        await first.close()
        try await remove(staged)
    }

    func whatNoJobNeedsIsFoundAndRemoved() async throws {
        let scratch = try TemporaryDirectory()
        var staged: [StagedFile] = []
        for count in [70_000, Self.block + 1] {
            let path = try scratch.write(DestinationConformance.bytes(count, seed: 4), to: "f\(count)")
            staged.append(try await stage(FilePath(path)))
        }
        #expect(try await sweepable.leftovers(changedBefore: .now - 3600).isEmpty, "they are young")
        let later = Date.now + 3600
        let found = try await sweepable.leftovers(changedBefore: later)
        #expect(Set(found.map(\.name)) == Set(staged.map(name)))
        #expect(found.allSatisfy { $0.kind == .copy && !$0.isInOutbox })
        #expect(found.compactMap(\.bytes).reduce(0, +) == staged.reduce(0) { $0 + $1.size })
        for leftover in found { #expect(try await sweepable.discard(leftover)) }
        #expect(try await copies().isEmpty)
        // What a program that died between two steps of a removal has left, and what was never ours.
        let orphan = JobID().rawValue + ".blocks"
        try await overwrite(orphan, [1, 2, 3])
        try await overwrite("not-ours", [1])
        let remains = try await sweepable.leftovers(changedBefore: later).filter { $0.name != "not-ours" }
        #expect(remains.map(\.name) == [orphan] && remains.map(\.kind) == [.partial])
        for leftover in remains { #expect(try await sweepable.discard(leftover)) }
        #expect(try await copies() == ["not-ours"])
        guard let begin else { return }
        let name = JobID().rawValue
        try await begin(name)
        #expect(try await sweepable.leftovers(changedBefore: .now - 3600).isEmpty)
        let begun = try await sweepable.leftovers(changedBefore: later).filter { $0.kind == .upload }
        #expect(begun.map { $0.name.prefix(name.count) } == [name[...]])
        for leftover in begun { #expect(try await sweepable.discard(leftover)) }
        #expect(try await sweepable.leftovers(changedBefore: later).filter { $0.kind == .upload }.isEmpty)
        // An upload may not be aborted while its object is there: so the object comes first, however old the upload is.
        let both = JobID().rawValue
        try await begin(both)
        try await overwrite(both, [1])
        let ordered = try await sweepable.leftovers(changedBefore: later).filter { $0.name.hasPrefix(both) }
        #expect(ordered.map(\.kind) == [.copy, .upload])
        for leftover in ordered { #expect(try await sweepable.discard(leftover)) }
        for leftover in begun { #expect(try await sweepable.discard(leftover), "gone is no error") }
    }

    // MARK: Helpers

    private func job(of staged: StagedFile) -> UploadJob {
        UploadJob(
            source: staged.reference, destination: .url("file:///target"), size: staged.size, digests: staged.digests)
    }

    private func open(_ job: UploadJob) async throws -> any UploadSource {
        guard case .claimed(let source) = try await sources.claim(job) else {
            throw UploadError(.unknown, "the copy was not opened")
        }
        return source
    }

    private func read(_ source: any UploadSource, _ range: Range<Int64>) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in source.read(range) { buffer.withUnsafeBytes { bytes += $0 } }
        return bytes
    }

    private func remove(_ staged: StagedFile) async throws {
        try await sources.removeStagedCopy(of: job(of: staged))
    }

    private func name(of staged: StagedFile) -> String {
        if case .staged(_, let name) = staged.reference { name } else { "" }
    }

    private func copies() async throws -> Set<String> {
        try await names().filter { !$0.hasPrefix(".") && $0 != "longshore-area" }
    }
}

/// Bytes in chunks, as a pipe brings them.
struct ChunkSequence: AsyncSequence, Sendable {
    let bytes: [UInt8]

    func makeAsyncIterator() -> Iterator { Iterator(rest: bytes[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<UInt8>

        mutating func next() async throws -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(65_536) }
            return Array(rest.prefix(65_536))
        }
    }
}
