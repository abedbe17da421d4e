import Foundation
import Glibc
import LinuxFiles
import Synchronization
import Uploads

/// What a worker sees of a staged copy that its producer still makes. The producer holds the lock on the copy's digests, adds the digest of
/// each block that it has copied, and writes the seal when all bytes are durable.
final class CopyGrowth: Sendable {
    /// Seconds without a lock and without a new block after which the producer counts as dead: 30. A worker on another host may not see the
    /// lock.
    static let patience: TimeInterval = 30

    private let claimed: OriginalFile
    private let name: String
    private let area: StagingArea
    private let seen = Mutex<OriginalFile?>(nil)

    init(of claimed: OriginalFile, name: String, in area: StagingArea) {
        self.claimed = claimed
        self.name = name
        self.area = area
    }

    /// The copy as it was when its seal was seen; nil before.
    var sealed: OriginalFile? { seen.withLock { $0 } }

    /// Whether the copy comes over a network, whose file systems keep pages that were read before the producer wrote them, until the file is
    /// opened anew.
    var isSharedByNetwork: Bool { !StagingArea.flushableTypes.contains(area.directory.fileSystemType) }

    /// Whether a range is copied. The last byte counts only with the seal, so that no upload is completed before.
    ///
    /// The files are opened anew at each look: only then does a network file system ask the server what has changed.
    /// - Throws: `sourceIncomplete` when there is no seal, and the producer is dead; `sourceChanged` when the copy is no longer there.
    func has(_ range: Range<Int64>) throws(UploadError) -> Bool {
        if sealed != nil { return true }
        do throws(SystemError) {
            switch try BlockDigests.open(name + BlockDigests.suffix, of: claimed.status.size, in: area.directory) {
            case .sealed:
                try see()
                return true
            case .unsealed(_, let growth):
                if range.upperBound < claimed.status.size, range.upperBound <= growth.bytes { return true }
                if growth.isLocked || now().timeIntervalSince(growth.changedAt) < Self.patience { return false }
            case .missing, .unfit: throw SystemError(ENOENT, call: "open", path: claimed.file.path)
            }
        } catch {
            throw error.number == ENOENT ? .sourceGone(claimed.file.path) : UploadError(source: error)
        }
        throw UploadError(
            .sourceIncomplete,
            "the program that copied the file to \(claimed.file.path) stopped before it had copied all: enqueue the file again"
        )
    }

    private func see() throws(SystemError) {
        let status = try area.directory.open(name, O_RDONLY | O_NOFOLLOW).status()
        guard status.isSameFile(as: claimed.status) else {
            throw SystemError(ENOENT, call: "open", path: claimed.file.path)
        }
        seen.withLock { $0 = $0 ?? OriginalFile(path: claimed.path, file: claimed.file, status: status) }
    }

    /// The time by the clock of the file system, which may be that of another host; by this host's where no file can be made.
    private func now() -> Date {
        let name = StagedDraft.temporaryName(of: JobID().rawValue)
        guard let file = try? area.directory.open(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) else { return Date() }
        defer { try? area.directory.remove(name) }
        return (try? file.status())?.modifiedAt ?? Date()
    }
}
