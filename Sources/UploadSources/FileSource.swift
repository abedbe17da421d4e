import Foundation
import Glibc
import LinuxFiles
import Synchronization
import Uploads

/// A file that is open for a slice: a staged copy under its lock, or a file in place.
final class FileSource: UploadSource {
    let size: Int64

    private let opened: OriginalFile
    private let check: RangeCheck
    private let lock: Lock?
    /// Of a copy that its producer still made when it was opened.
    private let growth: CopyGrowth?
    private let isClosed = Mutex(false)

    private struct Lock: Sendable {
        let area: StagingArea
        let name: String
    }

    /// A file in place.
    init(_ original: OriginalFile, digests: Digests) {
        self.opened = original
        self.growth = nil
        self.size = original.status.size
        self.check = .ranges(ReadChecksums(of: original.status.size, expected: digests))
        self.lock = nil
    }

    /// A staged copy.
    init(_ copy: LockedCopy, name: String, blocks: BlockDigests.Found, digests: Digests, area: StagingArea) {
        self.opened = OriginalFile(copy)
        self.size = copy.status.size
        self.lock = Lock(area: area, name: name)
        switch blocks {
        case .sealed(let blocks): (self.check, self.growth) = (.blocks(blocks), nil)
        // The job of a copy that was complete before has digests.
        case .unsealed(let blocks, _) where digests == Digests():
            (self.check, self.growth) = (.blocks(blocks), CopyGrowth(of: opened, name: name, in: area))
        case .missing, .unfit, .unsealed:
            (self.check, self.growth) = (.ranges(ReadChecksums(of: copy.status.size, expected: digests)), nil)
        }
    }

    /// What the file must not differ from.
    private var original: OriginalFile { growth?.sealed ?? opened }

    /// Whether a page may be older than what the producer has written on another host.
    private var mayBeStale: Bool { growth?.isSharedByNetwork == true }

    var isLocked: Bool { lock != nil }

    func isAvailable(_ range: Range<Int64>) async throws(UploadError) -> Bool {
        guard let growth else { return true }
        return try await Blocking.run { () throws(UploadError) in try growth.has(range) }
    }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        RangeReader(
            file: original.file, size: size, range: range.clamped(to: 0..<size), check: check,
            mayBeStale: mayBeStale
        ) {
            [original, lock] () throws(UploadError) in try Self.verify(original, lock)
        }
    }

    func fileRange(_ range: Range<Int64>) async throws(UploadError) -> SourceFileRange? {
        switch check {
        case .ranges(let checksums): guard checksums.checksum(of: range) != nil else { return nil }
        case .blocks(let blocks):
            // Pages may be old: the reader tries again later where a block differs, and this comparison does not.
            guard !mayBeStale, try await checksum(of: range) != nil else { return nil }
            try await compare(range, with: blocks)
        }
        return SourceFileRange(range) { [original] () throws(UploadError) in
            do throws(SystemError) { return try original.file.duplicate() } catch { throw UploadError(source: error) }
        } check: { [original] () throws(UploadError) in
            let size: Int64
            do throws(SystemError) { size = try original.file.status().size } catch { throw UploadError(source: error) }
            guard size >= range.upperBound else { throw original.shorter }
        }
    }

    func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        let blocks: BlockDigests
        switch check {
        case .blocks(let known): blocks = known
        case .ranges(let checksums): return checksums.checksum(of: range)
        }
        return try await Blocking.run { [size] () throws(UploadError) in
            do throws(SystemError) {
                return try blocks.digest(of: range, in: size)
            } catch {
                throw UploadError(source: error)
            }
        }
    }

    /// Reads whole blocks and compares them with their digests.
    private func compare(_ range: Range<Int64>, with blocks: BlockDigests) async throws(UploadError) {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(PartPlan.blockBytes)) {
            let read = try await original.checksum(of: start..<min(start + PartPlan.blockBytes, range.upperBound))
            let number = start / PartPlan.blockBytes
            let expected: CRC64NVME?
            do throws(SystemError) { expected = try blocks.digest(of: number) } catch {
                throw UploadError(source: error)
            }
            guard read == expected else { throw .sourceDiffers(original.file.path, inBlock: number) }
        }
        if range.upperBound == size { try await verifyUnchanged() }
    }

    func readChecksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? {
        guard case .ranges(let checksums) = check else { return nil }
        let range = range.clamped(to: 0..<size)
        let checksum = try await original.checksum(of: range)
        if range.upperBound == size { try await verifyUnchanged() }
        guard checksums.note(checksum, of: range) else { throw .sourceDiffers(original.file.path) }
        return checksum
    }

    var checksums: FileChecksums? {
        guard case .ranges(let checksums) = check else { return nil }
        return checksums.file
    }

    func take(_ checksums: FileChecksums) {
        guard case .ranges(let known) = check else { return }
        known.take(checksums)
    }

    func readUnread() async throws(UploadError) {
        for range in checksums?.unread(of: size) ?? [] { _ = try await readChecksum(of: range) }
    }

    func verifyUnchanged() async throws(UploadError) {
        try await Blocking.run { [original, lock] () throws(UploadError) in try Self.verify(original, lock) }
    }

    private static func verify(_ original: OriginalFile, _ lock: Lock?) throws(UploadError) {
        try original.verifyUnchanged()
        let named: FileStatus?
        do throws(SystemError) {
            named = try status(of: original, lock)
        } catch {
            throw UploadError(source: error)
        }
        guard let named, named.isSameFile(as: original.status) else {
            throw .sourceGone(original.file.path)
        }
    }

    /// The status of the file that has the name now; nil if there is none.
    private static func status(of original: OriginalFile, _ lock: Lock?) throws(SystemError) -> FileStatus? {
        if let lock { return try lock.area.directory.status(of: lock.name) }
        do throws(SystemError) {
            return try File.status(
                ofBytes: original.path.bytes, named: original.file.path, followingLinks: false)
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }

    func close() async {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        guard !wasClosed, let lock else { return }
        // The claim leaves the registry first: else it would take out the entry of the next claim, which may get the lock at once.
        lock.area.release(lock.name)
        original.file.unlock()
    }
}

extension OriginalFile {
    fileprivate init(_ copy: LockedCopy) {
        self.init(path: FilePath(copy.file.path), file: copy.file, status: copy.status)
    }
}
