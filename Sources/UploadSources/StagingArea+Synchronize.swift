import Glibc
import LinuxFiles
import Synchronization
public import Uploads

extension StagingArea {
    /// Up to this many copies are flushed one by one, so that a small command does not wait for bytes that other programs have written
    /// to the same file system; more copies are flushed by one call for the whole file system.
    static let singleFlushCountMaximum = 8

    /// File systems where syncfs(2) flushes files and directories alike: ext4, XFS, Btrfs, tmpfs, F2FS (statfs(2)). On others,
    /// network file systems above all, each file is flushed by itself.
    static let flushableTypes: Set<Int64> = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010]

    /// Makes all copies that were staged since the last call durable, names included. A producer calls it
    /// before it publishes the jobs of these copies.
    /// - Throws: `invalidFile`; then all files since the last call have to be staged anew, since the system drops the bytes that it could
    ///   not write.
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
                // ENOENT: the copy was removed in the meantime.
                if error.number != ENOENT { throw error }
            }
        }
    }
}
