import Glibc
import LinuxFiles
import Synchronization
public import Uploads

extension StagingArea {
    /// Up to this many copies are flushed one by one, so that a small command does not wait for what others have written to the
    /// same file system; more are flushed by one call for the whole of it.
    static let singleFlushCountMaximum = 8

    /// File systems of which syncfs(2) flushes files and directories alike: ext4, XFS, Btrfs, tmpfs, F2FS (statfs(2)). On others,
    /// network file systems above all, each file is flushed by itself.
    static let flushableTypes: Set<Int64> = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010]

    /// Makes everything staged since the last call durable, names included. Called once for a command, before the first of its
    /// jobs is published.
    /// - Throws: `invalidFile`; then what was staged since the last call is to be staged anew, for the system does not keep
    ///   what it could not write.
    public func synchronize() async throws(UploadError) {
        let names = unsynchronized.withLock { names in
            defer { names = [] }
            return names
        }
        guard !names.isEmpty else { return }
        try await Blocking.run { [self] () throws(UploadError) in
            do throws(SystemError) {
                if names.count > Self.singleFlushCountMaximum,
                    Self.flushableTypes.contains(directory.fileSystemType)
                {
                    try directory.synchronizeFileSystem()
                } else {
                    for name in names { try synchronizeCopy(name) }
                    try directory.synchronize()
                }
            } catch {
                throw UploadError(staging: error)
            }
        }
    }

    private func synchronizeCopy(_ name: String) throws(SystemError) {
        for name in [name, name + BlockDigests.suffix] {
            do {
                try directory.open(name, O_RDONLY | O_NOFOLLOW).synchronize()
            } catch {
                // Removed again in the meantime.
                if error.number != ENOENT { throw error }
            }
        }
    }
}
