import Glibc

/// The descriptors 0, 1 and 2. A program can be started without them (`<&-` in a shell).
enum StandardDescriptors {
    /// Opens `/dev/null` for each of them that is closed. Otherwise the next file or socket would get its number, and the program would
    /// read it as standard input or write results into it. The direction of `/dev/null` is the wrong one, so that using it stays an error.
    static func holdClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // open(2) takes the lowest free number, which is this descriptor.
            _ = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        }
    }

    /// Whether standard input is open for reading.
    static var inputIsOpen: Bool {
        let flags = fcntl(STDIN_FILENO, F_GETFL)
        var status = stat()
        guard flags != -1, flags & O_ACCMODE != O_WRONLY, fstat(STDIN_FILENO, &status) == 0 else { return false }
        // If it was closed, the runtime may have opened an epoll(7) descriptor under its number before `main`; that has no file type.
        return status.st_mode & S_IFMT != 0
    }
}
