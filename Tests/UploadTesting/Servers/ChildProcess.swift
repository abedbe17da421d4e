public import Glibc

/// A program that a test starts and stops, by its process id. Not Foundation's `Process`: waiting for that one from another
/// thread than it was started on waits for ever.
public final class ChildProcess: Sendable {
    public let id: pid_t

    /// Starts a program; its output goes nowhere.
    public init(_ path: String, _ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // Threads of a task block most signals, and a child inherits that: it could not be told to stop.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var id: pid_t = 0
        let problem = posix_spawn(&id, path, &actions, &attributes, words, environ)
        guard problem == 0 else { throw Loopback.Failure(description: "\(path) does not start, errno \(problem)") }
        self.id = id
    }

    /// Waits for its end, once.
    /// - Returns: its exit code; nil after a signal.
    @discardableResult
    public func wait() -> Int32? {
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1 && errno == EINTR {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : nil
    }

    /// Ends it, once, at once: nothing that a test starts has anything to save.
    public func stop(_ signal: Int32 = SIGKILL) {
        kill(id, signal)
        wait()
    }
}
