import CLinux
import Foundation
import Glibc

/// One run of a program, from its start until the process is reaped.
///
/// The run has a thread of its own, because it polls, and a second thread that waits for the process's end and wakes the first through a
/// pipe. Only the first reaps the process, so that it never kills a process id that the system has given to another process.
struct CommandRun: Sendable {
    struct StartFailure: Error {
        let errno: Int32
    }

    struct End: Sendable {
        enum Reason { case exit, timeout, cancellation }

        var reason = Reason.exit
        /// The exit code; 128 plus the signal's number after a signal, as in a shell.
        var code: Int32 = 0
        /// The first bytes of standard output and standard error.
        var output = Data()
    }

    /// Bytes of output that are kept; the rest is read and dropped, so that the program never blocks on its output.
    static let outputBytesKept = 1024

    private static let hasEnded = UInt8(ascii: "e")
    private static let isCancelled = UInt8(ascii: "c")

    private let command: CommandConfiguration
    private let input: Data

    init(_ command: CommandConfiguration, input: Data) {
        self.command = command
        self.input = input
    }

    /// Runs the program to its end; the time limit or the task's cancellation kills it.
    func end() async throws(StartFailure) -> End {
        let wake = try DescriptorPipe()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (done: CheckedContinuation<Result<End, StartFailure>, Never>) in
                Thread.detachNewThread {
                    done.resume(returning: Result { () throws(StartFailure) in try self.work(wake) })
                }
            }
        } onCancel: {
            wake.write(Self.isCancelled)
        }
        return try result.get()
    }

    // MARK: The thread

    private func work(_ wake: DescriptorPipe) throws(StartFailure) -> End {
        // SIGPIPE from a program that does not read its input must not kill the notifier. The thread ends with the run.
        var broken = sigset_t()
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &broken, nil)

        let (standardInput, standardOutput) = (try DescriptorPipe(), try DescriptorPipe())
        let process = try start(standardInput, standardOutput)
        standardInput.closeReading()
        standardOutput.closeWriting()
        _ = fcntl(standardInput.writing, F_SETFL, O_NONBLOCK)
        _ = fcntl(standardOutput.reading, F_SETFL, O_NONBLOCK)
        Thread.detachNewThread {
            var information = siginfo_t()
            // WNOWAIT does not reap: the thread that may still kill the process reaps it.
            while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
            wake.write(Self.hasEnded)
        }
        var end = End()
        attend(process, wake, standardInput, standardOutput, &end)
        _ = read(standardOutput, &end.output)
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        let signal = status & 0x7f
        end.code = signal == 0 ? status >> 8 & 0xff : 128 + signal
        return end
    }

    /// Writes the program's input and reads its output until it has ended.
    private func attend(
        _ process: pid_t, _ wake: DescriptorPipe, _ standardInput: DescriptorPipe, _ standardOutput: DescriptorPipe,
        _ end: inout End
    ) {
        var rest = input[...]
        var isOutputOpen = true
        let limit = ContinuousClock.now + .seconds(command.timeout)
        func kill(_ reason: End.Reason) {
            guard end.reason == .exit else { return }
            end.reason = reason
            // Kills the processes that it started, too: it leads a process group of its own.
            Glibc.kill(-process, SIGKILL)
        }
        while true {
            if rest.isEmpty { standardInput.closeWriting() }
            var waiting = [
                pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOutputOpen ? standardOutput.reading : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: rest.isEmpty ? -1 : standardInput.writing, events: Int16(POLLOUT), revents: 0),
            ]
            let left = max(0, (limit - .now).seconds * 1000)
            let timeout = end.reason == .exit ? Int32(min(left.rounded(.up), 1_000_000)) : -1
            let count = poll(&waiting, nfds_t(waiting.count), timeout)
            if count < 0, errno != EINTR { kill(.timeout) }
            if count == 0, ContinuousClock.now >= limit { kill(.timeout) }
            guard count > 0 else { continue }
            if waiting[1].revents != 0 { isOutputOpen = read(standardOutput, &end.output) }
            if waiting[2].revents != 0 { rest = write(rest, to: standardInput) }
            if waiting[0].revents != 0 {
                let said = wake.read()
                if said.contains(Self.isCancelled) { kill(.cancellation) }
                if said.contains(Self.hasEnded) { return }
            }
        }
    }

    /// - Returns: whether more output may come.
    private func read(_ pipe: DescriptorPipe, _ output: inout Data) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        // Bounded, because a process that the program left behind may write for ever.
        for _ in 0..<16 {
            let count = Glibc.read(pipe.reading, &chunk, chunk.count)
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            if count == 0 { return false }
            output += chunk[..<min(count, max(0, Self.outputBytesKept - output.count))]
        }
        return true
    }

    /// - Returns: the bytes that are left; none when the program has closed its input.
    private func write(_ rest: Data, to pipe: DescriptorPipe) -> Data {
        let count = rest.withUnsafeBytes { Glibc.write(pipe.writing, $0.baseAddress, $0.count) }
        if count < 0 { return errno == EAGAIN || errno == EINTR ? rest : Data() }
        return rest.dropFirst(count)
    }

    /// posix_spawn(3): a process group of its own, no signal blocked or ignored, only the standard descriptors.
    private func start(_ standardInput: DescriptorPipe, _ standardOutput: DescriptorPipe) throws(StartFailure) -> pid_t
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, standardInput.reading, 0)
        posix_spawn_file_actions_adddup2(&actions, standardOutput.writing, 1)
        posix_spawn_file_actions_adddup2(&actions, standardOutput.writing, 2)
        linux_spawn_closing_from(&actions, 3)
        linux_spawn_in_directory(&actions, "/")
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let arguments = ([command.path] + command.arguments).map { strdup($0) } + [nil]
        let environment = command.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process = pid_t()
        let status = posix_spawn(&process, command.path, &actions, &attributes, arguments, environment)
        guard status == 0 else { throw StartFailure(errno: status) }
        return process
    }
}
