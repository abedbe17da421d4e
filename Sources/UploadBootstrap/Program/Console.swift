import Foundation

/// Standard output and standard error, written at once and whole. A reader that is gone is no error: what was begun is
/// more important than telling of it.
public enum Console {
    /// Results.
    public static func output(line: String) { write(line + "\n", to: STDOUT_FILENO) }

    /// Everything else.
    public static func error(line: String) { write(line + "\n", to: STDERR_FILENO) }

    static func error(text: String) { write(text, to: STDERR_FILENO) }

    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns of the terminal behind standard error; 80 where it does not say.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, 1000)
            } else if errno != EINTR {
                return
            }
        }
    }
}
