import Glibc
import Synchronization
import Uploads

/// Holds the ledger for one process, by an advisory lock on a file beside it: SQLite's own locks come and go with each
/// transaction and would let two notifiers take turns.
final class LedgerLock: Sendable {
    private let descriptor: Mutex<Int32?>

    init(path: String) throws(UploadError) {
        let file = Glibc.open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw LedgerFailure.unreachable(path, errno: errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            Glibc.close(file)
            guard reason == EWOULDBLOCK else { throw LedgerFailure.unreachable(path, errno: reason) }
            throw UploadError(
                .misconfigured,
                "the ledger \(path) is in use by another process; stop that one, or name another ledger"
            )
        }
        descriptor = Mutex(file)
    }

    deinit { release() }

    func release() {
        descriptor.withLock { file in
            if let open = file { Glibc.close(open) }
            file = nil
        }
    }

    /// SQLite makes its files with the rights of the first, so that one is made here, for its owner alone.
    static func createPrivately(_ path: String) throws(UploadError) {
        let file = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw LedgerFailure.unreachable(path, errno: errno) }
        Glibc.close(file)
    }
}
