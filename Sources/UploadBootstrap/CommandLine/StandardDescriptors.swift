import Glibc

/// The descriptors 0, 1 and 2, which a program can be started without (`<&-` in a shell).
enum StandardDescriptors {
    /// Keeps the numbers of those that are closed: the next file or socket that is opened would take one, and be read as standard input
    /// or written as standard output. Each becomes `/dev/null`, opened the wrong way round, so that its use stays an error.
    static func holdClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest number that is free is this one.
            _ = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        }
    }

    /// Whether standard input can be read at all.
    static var inputIsOpen: Bool {
        let flags = fcntl(STDIN_FILENO, F_GETFL)
        var status = stat()
        guard flags != -1, flags & O_ACCMODE != O_WRONLY, fstat(STDIN_FILENO, &status) == 0 else { return false }
        // Where it was closed, the runtime may have made its epoll(7) descriptor of the number before `main`: that has no type.
        return status.st_mode & S_IFMT != 0
    }
}
