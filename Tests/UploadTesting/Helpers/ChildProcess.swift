import Foundation
public import Glibc

/// A program that a test starts and stops, by its process id. Foundation's `Process` does not do: its children inherit the blocked
/// signals of the thread that starts them, and waiting for one from another thread can last for ever.
public final class ChildProcess: Sendable {
    public let id: pid_t

    /// Starts a program.
    /// - Parameters:
    ///   - environment: the environment; this process's own if left out.
    ///   - input: the file that becomes standard input.
    ///   - output: the file for standard output, created anew.
    ///   - errors: the file for standard error, created anew.
    public init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil, input: String = "/dev/null",
        output: String = "/dev/null", errors: String = "/dev/null"
    ) throws {
        let files = [
            (0, input, O_RDONLY), (1, output, O_WRONLY | O_CREAT | O_TRUNC), (2, errors, O_WRONLY | O_CREAT | O_TRUNC),
        ]
        var descriptors: [CInt: CInt] = [:]
        defer { for descriptor in descriptors.values { close(descriptor) } }
        for (target, file, flags) in files {
            let descriptor = open(file, flags | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw DidNotHappen("\(file) does not open, errno \(errno)") }
            descriptors[CInt(target)] = descriptor
        }
        id = try Spawn.run(
            path, arguments, environment: environment ?? ProcessInfo.processInfo.environment, descriptors: descriptors)
    }

    /// Waits for the program's end. Call this once.
    /// - Returns: its exit code; after a signal, 128 plus the signal's number, as in a shell.
    @discardableResult
    public func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }

    /// Sends the program a signal that ends it. Call this once.
    public func stop(_ signal: Int32 = SIGTERM) {
        kill(id, signal)
        wait()
    }
}
