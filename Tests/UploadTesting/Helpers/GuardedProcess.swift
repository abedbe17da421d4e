import Glibc
import Synchronization

/// A program that cannot outlive this process: a small shell beside it holds the reading end of a pipe whose other end is
/// here. When this process ends, however it does, the pipe breaks and the shell kills the program.
public final class GuardedProcess: Sendable {
    /// The program's own process id.
    public let pid: Int32
    private let shell: pid_t
    private let lifeLine: CInt
    private let hasExited = Mutex(false)

    /// - Parameter removing: a directory to remove after the program's end, however it ended.
    public init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String], output: String = "/dev/null",
        removing directory: String = ""
    ) throws {
        let script = """
            "$@" </dev/null >"$GUARD_OUTPUT" 2>&1 3<&- 4>&- & pid=$!
            (read -r _ <&3; kill -KILL $pid) 4>&- & guard=$!
            echo $pid >&4; exec 4>&-
            wait $pid; kill -KILL $guard
            [ -z "$GUARD_REMOVES" ] || { rm -rf "$GUARD_REMOVES"; sleep 0.5; rm -rf "$GUARD_REMOVES"; }
            """
        var environment = environment
        environment["GUARD_OUTPUT"] = output
        environment["GUARD_REMOVES"] = directory
        let (lifeRead, lifeWrite) = try Spawn.pipe()
        let (pidRead, pidWrite) = try Spawn.pipe()
        defer {
            close(lifeRead)
            close(pidRead)
        }
        do {
            shell = try Spawn.run(
                "/bin/sh", ["-c", script, "sh", executable] + arguments, environment: environment,
                descriptors: [3: lifeRead, 4: pidWrite])
        } catch {
            close(lifeWrite)
            close(pidWrite)
            throw error
        }
        close(pidWrite)
        lifeLine = lifeWrite
        let text = Spawn.readAll(pidRead)
        guard let pid = pid_t(text.split(separator: "\n").first ?? "") else {
            throw DidNotHappen("\(executable) did not start")
        }
        self.pid = pid
    }

    deinit { close(lifeLine) }

    public var isRunning: Bool {
        hasExited.withLock { hasExited in
            if !hasExited { hasExited = waitpid(shell, nil, WNOHANG) == shell }
            return !hasExited
        }
    }

    public func signal(_ number: Int32) {
        if isRunning { kill(pid, number) }
    }

    /// Sends SIGTERM, and kills the program if it has not ended within the limit.
    public func stop(within limit: Duration = .seconds(20)) async throws {
        signal(SIGTERM)
        do {
            try await eventually("process \(pid) ends", within: limit) { !isRunning }
        } catch is DidNotHappen {
            signal(SIGKILL)
            try await eventually("process \(pid) is killed") { !isRunning }
        }
    }

    public func kill9() async throws {
        signal(SIGKILL)
        try await eventually("process \(pid) is killed") { !isRunning }
    }
}
