import Foundation
import Synchronization

/// Standard output and standard error, written at once and whole. A reader that is gone is no error: what was begun is
/// more important than telling of it.
public enum Console {
    /// The `errno` of the first write to standard output that failed otherwise than for want of a reader; 0 if none has.
    private static let outputFailure = Atomic<CInt>(0)

    /// Why not all of the results could be written; nil if they were, or nobody reads them any more.
    static var outputProblem: String? {
        let number = outputFailure.load(ordering: .relaxed)
        return number == 0 ? nil : String(cString: strerror(number))
    }

    /// Results, without what would steer a terminal: names and messages come from anywhere.
    /// - Returns: whether somebody could read them.
    @discardableResult
    public static func output(line: String) -> Bool { output(text: PlainText.escaped(line) + "\n") }

    /// Text that may steer the terminal: what a ``LiveArea`` has made.
    @discardableResult
    static func output(text: String) -> Bool {
        let failure = write(text, to: STDOUT_FILENO)
        if let failure, failure != EPIPE {
            _ = outputFailure.compareExchange(expected: 0, desired: failure, ordering: .relaxed)
        }
        return failure == nil
    }

    /// Everything else, without what would steer a terminal. The lines behind the first one are indented, so that a name with a line
    /// end in it cannot look like a message of its own.
    public static func error(line: String) {
        write(PlainText.escaped(line).replacing("\n", with: "\n  ") + "\n", to: STDERR_FILENO)
    }

    /// Text that may steer the terminal: what a ``LiveArea`` has made.
    static func error(text: String) { write(text, to: STDERR_FILENO) }

    /// Whether lines on standard output can be drawn over.
    static var canDraw: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"].map { $0 != "dumb" } ?? false
    }

    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether somebody can be asked.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && errorIsTerminal }

    /// Asks on standard error. - Returns: whether the answer begins with a y.
    static func confirms(_ question: String) -> Bool {
        error(text: PlainText.escaped("\(question) [y/N] "))
        return readLine()?.lowercased().hasPrefix("y") == true
    }

    /// Columns of the terminal behind standard error; 80 where it does not say.
    static var columns: Int { size(of: STDERR_FILENO)?.columns ?? 80 }

    /// Columns of the terminal behind standard output; nil where there is none, or it does not say.
    static var outputColumns: Int? { outputSize?.columns }

    /// Of the terminal behind standard output, as it is now: it may be resized at any time.
    static var outputSize: (columns: Int, rows: Int)? { size(of: STDOUT_FILENO) }

    private static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// - Returns: the `errno` if not all was written.
    @discardableResult
    private static func write(_ text: String, to descriptor: CInt) -> CInt? {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, 1000)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
