import Foundation
import Glibc
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Command delegate", .timeLimit(.minutes(10)))
struct CommandDelegateTests {
    private let outcome = UploadEvent(kind: .completed, of: Baton(job: Sample.job()), at: Sample.start).asOutcome

    private func run(
        _ script: String, _ arguments: [String] = [], environment: [String: String] = [:], timeout: TimeInterval = 60
    ) async throws(UploadError) -> ServerResponse? {
        let command = CommandConfiguration(
            path: "/bin/sh", arguments: ["-c", script, "sh"] + arguments, environment: environment, timeout: timeout)
        return try await CommandDelegate(name: "run", command).deliver(outcome)
    }

    private func failure(_ script: String, timeout: TimeInterval = 60) async -> UploadError? {
        do throws(UploadError) {
            _ = try await run(script, timeout: timeout)
            return nil
        } catch { return error }
    }

    @Test func `the event is the standard input, and exit code 0 is delivered`() async throws {
        let scratch = try Scratch()
        let answer = try await run("cat > \"$1\"; echo taken", [scratch.file("event")])
        #expect(answer?.status == 0)
        #expect(answer?.body == "taken\n")
        let data = try Data(contentsOf: URL(filePath: scratch.file("event")))
        #expect(try WireJSON.decode(UploadEvent.self, from: data) == outcome)
    }

    @Test func `it gets the configured arguments and environment, a path, and nothing else`() async throws {
        let answer = try await run("echo \"$1\"; env | sort; pwd", ["a b; $(id)"], environment: ["KEY": "v w"])
        let lines = answer?.body?.split(separator: "\n").map(String.init) ?? []
        #expect(lines.first == "a b; $(id)")
        #expect(lines.contains("KEY=v w"))
        #expect(lines.contains("PATH=/usr/local/bin:/usr/bin:/bin"))
        #expect(lines.last == "/")
        // Except the variables that the shell itself adds.
        let names = Set(lines.dropFirst().dropLast().map { String($0.prefix { $0 != "=" }) })
        #expect(names.subtracting(["PWD", "OLDPWD", "SHLVL", "_"]) == ["KEY", "PATH"])
    }

    @Test func `it inherits no descriptor but the standard ones`() async throws {
        // The descriptor is inheritable, and higher than the shell's own descriptors.
        let opened = open("/dev/null", O_RDONLY)
        let descriptor = fcntl(opened, F_DUPFD, 200)
        defer {
            close(opened)
            close(descriptor)
        }
        try #require(descriptor >= 200)
        let answer = try await run("for f in /proc/self/fd/*; do echo ${f##*/}; done")
        let numbers = answer?.body?.split(separator: "\n").compactMap { Int32($0) } ?? []
        #expect(Set(numbers).isSuperset(of: [0, 1, 2]))
        #expect(!numbers.contains(descriptor))
    }

    @Test func `another exit code is a failure that may pass, with what it said`() async throws {
        let error = await failure("echo out; echo no disk >&2; exit 3")
        #expect(error?.retry == .afterBackoff)
        #expect(error?.response?.status == 3)
        #expect(error?.response?.body == "out\nno disk\n")
    }

    @Test func `a signal is a failure as a shell says it`() async throws {
        #expect(await failure("kill -9 $$")?.response?.status == 137)
    }

    @Test func `a run past its time limit is killed with what it has started`() async throws {
        let scratch = try Scratch()
        let file = scratch.file("child")
        let command = CommandConfiguration(
            path: "/bin/sh", arguments: ["-c", "sleep 3600 & echo $! > \"$1\"; wait", "sh", file], timeout: 1)
        let error = await #expect(throws: UploadError.self) {
            try await CommandDelegate(name: "run", command).deliver(outcome)
        }
        #expect(error?.retry == .afterBackoff)
        #expect(error?.message.contains("killed after 1 s") == true)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let child = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
        try await until { kill(child, 0) == -1 || Self.isZombie(child) }
    }

    /// Whether the process has ended and its parent has not waited for it yet.
    private static func isZombie(_ process: pid_t) -> Bool {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.split(separator: " ").first == "Z"
    }

    @Test func `a program that does not read its input does no harm`() async throws {
        #expect(try await run("exec <&-; exit 0")?.status == 0)
    }

    @Test func `endless output is read, and its first KiB kept`() async throws {
        let answer = try await run("head -c 1000000 /dev/zero | tr '\\0' x")
        #expect(answer?.body?.utf8.count == 1024)
    }

    @Test func `cancelling ends it`() async throws {
        let scratch = try Scratch()
        let file = scratch.file("started")
        let command = CommandConfiguration(path: "/bin/sh", arguments: ["-c", "touch \"$1\"; sleep 3600", "sh", file])
        let delegate = try CommandDelegate(name: "run", command)
        let task = Task { try await delegate.deliver(outcome) }
        try await until { FileManager.default.fileExists(atPath: file) }
        task.cancel()
        let error = await #expect(throws: UploadError.self) { try await task.value }
        #expect(error?.code == .interrupted)
    }

    @Test(arguments: ["echo", "./echo", "/nowhere/echo", "/etc/passwd"])
    func `a program that cannot be run is refused with the delegate's name`(path: String) {
        let error = #expect(throws: UploadError.self) {
            _ = try CommandDelegate(name: "run", CommandConfiguration(path: path))
        }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.contains("'run'") == true)
    }

    @Test func `a program that vanished is a failure that may pass`() async throws {
        let scratch = try Scratch()
        let path = scratch.file("program")
        // A link: a copy might still be open for writing in a process that another test starts.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/bin/true")
        let delegate = try CommandDelegate(name: "run", CommandConfiguration(path: path))
        try await delegate.deliver(outcome)
        try FileManager.default.removeItem(atPath: path)
        let error = await #expect(throws: UploadError.self) { try await delegate.deliver(outcome) }
        #expect(error?.retry == .afterBackoff)
    }
}
