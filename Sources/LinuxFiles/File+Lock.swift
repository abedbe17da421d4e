import Glibc

extension File {
    /// Takes the advisory lock (flock(2)), which belongs to this opening of the file: two openings exclude each other even within
    /// one process.
    /// - Returns: false when another opening has the lock.
    public func tryLock() throws(SystemError) -> Bool {
        if retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 { return true }
        if errno == EWOULDBLOCK { return false }
        throw failure("flock")
    }

    /// Takes the lock, and waits until no other opening has it.
    public func lock() throws(SystemError) {
        guard retrying({ flock(descriptor, LOCK_EX) }) == 0 else { throw failure("flock") }
    }

    public func unlock() { _ = flock(descriptor, LOCK_UN) }
}
