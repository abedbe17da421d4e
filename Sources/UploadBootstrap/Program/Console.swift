import Foundation
import Synchronization

/// Writes standard output and standard error, each text at once and whole. A closed reader is no error: the work that the program has
/// begun is more important than the report of it.
public enum Console {
    /// The `errno` of the first write to standard output that failed for another reason than a closed reader; 0 if none has.
    private static let outputFailure = Atomic<CInt>(0)

    /// The lines that are drawn at the foot of the terminal on standard error, below all that is written.
    private static let foot = Mutex(LiveArea())

    /// Why some results could not be written; nil if all were written, or the reader has closed the output.
    static var outputProblem: String? {
        let number = outputFailure.load(ordering: .relaxed)
        return number == 0 ? nil : String(cString: strerror(number))
    }

    /// Writes a result line to standard output. Characters that steer a terminal are escaped, because names and messages come from other
    /// parties.
    /// - Returns: whether the write succeeded.
    @discardableResult
    public static func output(line: String) -> Bool { output(text: PlainText.escaped(line) + "\n") }

    /// Writes text that may steer the terminal, as ``LiveArea`` makes it.
    @discardableResult
    static func output(text: String) -> Bool {
        let failure = aboveFoot { write(text, to: STDOUT_FILENO) }
        if let failure, failure != EPIPE {
            _ = outputFailure.compareExchange(expected: 0, desired: failure, ordering: .relaxed)
        }
        return failure == nil
    }

    /// Writes a message to standard error. Characters that steer a terminal are escaped. Its second and further lines are indented, so that
    /// a name with a line end in it cannot look like a message of its own.
    public static func error(line: String) {
        let text = PlainText.escaped(line).replacing("\n", with: "\n  ") + "\n"
        aboveFoot { _ = write(text, to: STDERR_FILENO) }
    }

    /// Draws lines at the foot of the terminal on standard error, in the place of those drawn before. Whatever is written next erases them,
    /// so who draws draws again and again.
    /// - Parameter lines: returns the lines for a terminal of this size. None is wider: some terminals wrap when the last column is written,
    ///   and the ^C that a terminal shows must not wrap either.
    static func draw(_ lines: (_ columns: Int, _ rows: Int) -> [String]) {
        let size = errorSize
        let drawn = lines(max(1, size.columns - 3), size.rows)
        foot.withLock { _ = write($0.update(lines: drawn, columns: size.columns), to: STDERR_FILENO) }
    }

    /// Erases the lines at the foot.
    static func erase() { draw { _, _ in [] } }

    private static func aboveFoot<Value>(_ body: () -> Value) -> Value {
        foot.withLock { foot in
            if foot.isDrawn { write(foot.clear(columns: errorSize.columns), to: STDERR_FILENO) }
            return body()
        }
    }

    /// Whether standard output is a terminal on which lines can be redrawn.
    static var canDraw: Bool {
        isatty(STDOUT_FILENO) == 1 && allowsDrawing(ProcessInfo.processInfo.environment)
    }

    /// Whether standard error is a terminal on which lines can be redrawn.
    static var canDrawErrors: Bool { errorIsTerminal && allowsDrawing(ProcessInfo.processInfo.environment) }

    /// Whether a terminal knows the sequences that steer it, and the user wants them: NO_COLOR asks for plain text.
    static func allowsDrawing(_ environment: [String: String]) -> Bool {
        environment["TERM"].map { $0 != "dumb" && !$0.isEmpty } ?? false && environment["NO_COLOR"]?.isEmpty ?? true
    }

    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether the user can be asked: standard input and standard error are terminals.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && errorIsTerminal }

    /// Asks a question on standard error. - Returns: whether the answer begins with a y.
    static func confirms(_ question: String) -> Bool {
        write(PlainText.escaped("\(question) [y/N] "), to: STDERR_FILENO)
        return readLine()?.lowercased().hasPrefix("y") == true
    }

    /// The size of the terminal on standard error; 80 columns and 24 rows where the terminal does not report it.
    static var errorSize: (columns: Int, rows: Int) {
        let size = size(of: STDERR_FILENO)
        return (size?.columns ?? 80, max(2, size?.rows ?? 24))
    }

    /// The columns of the terminal on standard output; nil where there is no terminal or it does not report its size.
    static var outputColumns: Int? { outputSize?.columns }

    /// The present size of the terminal on standard output; the user may resize it at any time.
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
