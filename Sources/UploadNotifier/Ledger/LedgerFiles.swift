import Glibc
import Uploads

/// The identities of the ledger's files at the time of opening. A file that is deleted or replaced still takes writes, and all of them
/// are gone when it is closed; without the lock file, a second notifier could open the ledger.
struct LedgerFiles: Sendable {
    private struct Identity: Hashable {
        let device: dev_t
        let inode: ino_t
    }

    /// The database, its log, the log's index (https://sqlite.org/walformat.html) and the lock.
    private let files: [(path: String, identity: Identity)]

    /// - Throws: `misconfigured` if one of the files is missing.
    init(of path: String) throws(UploadError) {
        // If the path is a link, SQLite makes the log and its index beside the file itself.
        guard let resolved = realpath(path, nil) else { throw SQLiteFailure.unreachable(path, errno: errno) }
        defer { free(resolved) }
        let database = String(cString: resolved)
        var files: [(path: String, identity: Identity)] = []
        for file in [path, database + "-wal", database + "-shm", LedgerLock.file(of: path)] {
            guard let identity = Self.identity(of: file) else { throw SQLiteFailure.unreachable(file, errno: errno) }
            files.append((file, identity))
        }
        self.files = files
    }

    /// - Throws: `misconfigured` if another file, or none, has the name of one of the files. Once the file has its name again, the check
    ///   passes.
    func check() throws(UploadError) {
        for (path, identity) in files where Self.identity(of: path) != identity {
            throw UploadError(
                .misconfigured,
                """
                \(path) was deleted or replaced while the notifier had it open: put it back as it was; or save what the notifier \
                has with 'uploadctl ledger backup', stop the notifier, put the backup in the ledger's place, and start it again
                """)
        }
    }

    private static func identity(of path: String) -> Identity? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Identity(device: status.st_dev, inode: status.st_ino)
    }
}
