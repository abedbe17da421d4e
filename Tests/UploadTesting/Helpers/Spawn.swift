import Foundation
import Glibc
import Synchronization

/// Starts programs without Foundation's run loop.
public enum Spawn {
    /// A program's exit code and output.
    public struct Output: Sendable {
        public let status: Int32
        public let text: String

        /// Reads the program's output to its end, and waits for the program.
        fileprivate init(of pid: pid_t, writing descriptor: CInt) {
            text = readAll(descriptor)
            var status: CInt = 0
            waitpid(pid, &status, 0)
            self.status = status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
        }
    }

    /// Runs work that waits for another program on a thread of its own. If a test waited on one of the pool's few threads, it would block
    /// other tasks of this process, and for ever if the other program waits for one of them.
    public static func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { done in
            Thread.detachNewThread { done.resume(with: Result { try work() }) }
        }
    }

    /// Runs a program to its end. - Throws: `DidNotHappen` with its output if it fails.
    @discardableResult
    public static func output(
        of executable: String, _ arguments: [String], environment: [String: String]? = nil
    ) async throws -> Output {
        let output = try await onThread {
            let (reading, writing) = try pipe()
            defer { close(reading) }
            let pid: pid_t
            do {
                defer { close(writing) }
                pid = try run(
                    executable, arguments, environment: environment ?? ProcessInfo.processInfo.environment,
                    descriptors: [1: writing, 2: writing])
            }
            return Output(of: pid, writing: reading)
        }
        guard output.status == 0 else {
            throw DidNotHappen(
                "\(executable) \(arguments.joined(separator: " ")) ended with \(output.status): \(output.text)")
        }
        return output
    }

    /// Runs a short program to its end, with its two outputs apart; the calling thread waits, see `onThread`.
    /// - Parameter input: a file to read standard input from.
    public static func run(
        _ executable: String, _ arguments: [String], input: String = "/dev/null"
    ) throws -> (output: Output, errors: String) {
        let errors = FileManager.default.temporaryDirectory.appending(path: "spawn-\(UUID().uuidString)").path
        let (reading, writing) = try pipe()
        defer { close(reading) }
        let file = open(errors, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        let taken = open(input, O_RDONLY | O_CLOEXEC)
        let pid: pid_t
        do {
            defer {
                close(writing)
                close(file)
                close(taken)
            }
            pid = try run(
                executable, arguments, environment: ProcessInfo.processInfo.environment,
                descriptors: [0: taken, 1: writing, 2: file])
        }
        defer { unlink(errors) }
        let output = Output(of: pid, writing: reading)
        return (output, (try? String(contentsOfFile: errors, encoding: .utf8)) ?? "")
    }

    /// Held from a pipe's creation until it is marked close-on-exec. A program that starts in between would inherit the pipe, and
    /// the reader of the pipe would wait for that program too.
    private static let starting = Mutex(())

    static func pipe() throws -> (reading: CInt, writing: CInt) {
        var descriptors: [CInt] = [0, 0]
        let status = starting.withLock { _ in
            let status = Glibc.pipe(&descriptors)
            for descriptor in descriptors where status == 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return status
        }
        guard status == 0 else { throw LoopbackSocket.Failure(call: "pipe", number: errno) }
        return (descriptors[0], descriptors[1])
    }

    static func run(
        _ executable: String, _ arguments: [String], environment: [String: String], descriptors: [CInt: CInt]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Moves the descriptors first beyond all numbers that are read or written here, then into place (which clears
        // close-on-exec), because one may have the number that another one needs.
        let beyond = (Array(descriptors.keys) + Array(descriptors.values)).max().map { $0 + 1 } ?? 0
        let moves = descriptors.enumerated().map { ($1.value, beyond + CInt($0), $1.key) }
        for (source, spare, _) in moves { posix_spawn_file_actions_adddup2(&actions, source, spare) }
        // The program gets /dev/null: with this process's own descriptors, a reader of this process's output would wait for
        // the program's end as well.
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for (_, spare, target) in moves {
            posix_spawn_file_actions_adddup2(&actions, spare, target)
            posix_spawn_file_actions_addclose(&actions, spare)
        }
        // Dispatch's threads block all signals, and a shell that does not receive SIGCHLD waits for ever.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let argv = ([executable] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var pid = pid_t()
        let status = starting.withLock { _ in posix_spawn(&pid, executable, &actions, &attributes, argv, envp) }
        guard status == 0 else { throw LoopbackSocket.Failure(call: "starting \(executable)", number: status) }
        return pid
    }

    static func readAll(_ descriptor: CInt) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 { bytes += chunk[..<count] } else if count == 0 || errno != EINTR { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
