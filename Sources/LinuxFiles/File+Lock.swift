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

    /// Whether another opening has the lock: tells at once, and keeps nothing but another such question from an answer.
    public func isLockedElsewhere() throws(SystemError) -> Bool {
        guard retrying({ flock(descriptor, LOCK_SH | LOCK_NB) }) == 0 else {
            if errno == EWOULDBLOCK { return true }
            throw failure("flock")
        }
        unlock()
        return false
    }

    /// Takes the lock, and waits until no other opening has it.
    public func lock() throws(SystemError) {
        guard retrying({ flock(descriptor, LOCK_EX) }) == 0 else { throw failure("flock") }
    }

    public func unlock() { _ = flock(descriptor, LOCK_UN) }
}
