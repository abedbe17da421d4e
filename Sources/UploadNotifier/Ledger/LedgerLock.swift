import Glibc
import Synchronization
import Uploads

/// Holds the ledger for one process, by an advisory lock on a file beside it: SQLite's own locks come and go with each
/// transaction and would let two notifiers take turns.
final class LedgerLock: Sendable {
    private let descriptor: Mutex<Int32?>

    /// - Parameter path: an existing file.
    /// - Returns: nil if another process has it.
    init?(path: String) throws(UploadError) {
        let file = Glibc.open(Self.file(of: path), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SQLiteFailure.unreachable(path, errno: errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            Glibc.close(file)
            guard reason == EWOULDBLOCK else { throw SQLiteFailure.unreachable(path, errno: reason) }
            return nil
        }
        descriptor = Mutex(file)
    }

    deinit { release() }

    func release() {
        descriptor.withLock { file in
            guard let open = file else { return }
            // Unlocked explicitly: a child process that another thread is just starting has a copy of the descriptor until it runs its
            // program, and would keep the lock for that long.
            flock(open, LOCK_UN)
            Glibc.close(open)
            file = nil
        }
    }

    /// The process of this host that has the lock, as the kernel lists it (proc_locks(5)): trying the lock could keep a notifier from it.
    /// - Returns: nil if no process has it that this one can see.
    static func holder(path: String) -> Int32? {
        var status = stat()
        guard stat(file(of: path), &status) == 0 else { return nil }
        // The kernel hands the list over page by page and counts its entries to find the next page: locks that other processes give
        // up in between make it leave entries out, so that only a few lists without the lock say that it is free.
        for _ in 0..<5 { if let holder = listedHolder(ofInode: status.st_ino) { return holder } }
        return nil
    }

    private static func listedHolder(ofInode inode: ino_t) -> Int32? {
        guard let list = fopen("/proc/locks", "r") else { return nil }
        defer { fclose(list) }
        var (line, room): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        defer { free(line) }
        while getline(&line, &room, list) > 0, let text = line {
            // 1: FLOCK  ADVISORY  WRITE 1234 fe:01:131075 0 EOF
            let words = String(cString: text).split(separator: " ")
            if words.count > 5, words[1] == "FLOCK", words[5].split(separator: ":").last == "\(inode)" {
                return Int32(words[4])
            }
        }
        return nil
    }

    /// The lock's file, beside the database itself and not beside a link to it: a ledger has one lock under all its names.
    static func file(of path: String) -> String {
        guard let real = realpath(path, nil) else { return path + ".lock" }
        defer { free(real) }
        return String(cString: real) + ".lock"
    }

    /// Makes the database file, readable by its owner alone: SQLite gives its other files the same rights.
    static func createPrivately(_ path: String) throws(UploadError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SQLiteFailure.unreachable(path, errno: errno) }
        Glibc.close(file)
    }
}
