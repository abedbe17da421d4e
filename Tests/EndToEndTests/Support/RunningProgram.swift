import Foundation
import Synchronization
import Testing
import UploadTesting

/// A program that a test started. Its output goes to files, and the test signals it only by its process id.
final class RunningProgram: Sendable {
    let name: String
    let pid: Int32
    /// The port on which it serves HTTP, if it does.
    let port: Int?
    let output: URL
    let errors: URL
    private let exit = Exit()

    /// Connects the thread that collects the exit status with the tasks that wait for it.
    private final class Exit: Sendable {
        private struct State {
            var status: Int32?
            var waiting: [CheckedContinuation<Int32, Never>] = []
        }

        private let state = Mutex(State())

        func finish(_ status: Int32) {
            let waiting = state.withLock { state in
                state.status = status
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume(returning: status) }
        }

        var status: Int32? { state.withLock { $0.status } }

        func wait() async -> Int32 {
            await withCheckedContinuation { continuation in
                let status = state.withLock { state -> Int32? in
                    if state.status == nil { state.waiting.append(continuation) }
                    return state.status
                }
                if let status { continuation.resume(returning: status) }
            }
        }
    }

    init(
        _ executable: URL, _ arguments: [String], environment: [String: String], directory: URL, logs: URL,
        name: String,
        port: Int? = nil, input: URL? = nil
    ) throws {
        self.name = name
        self.port = port
        output = logs.appending(path: "\(name).out")
        errors = logs.appending(path: "\(name).err")
        let process = try ChildProcess(
            "/usr/bin/env", ["-C", directory.path, executable.path] + arguments, environment: environment,
            input: input?.path ?? "/dev/null", output: output.path, errors: errors.path)
        pid = process.id
        Leftovers.shared.add(pid)
        let exit = exit
        Thread.detachNewThread { exit.finish(process.wait()) }
    }

    /// Waits for the end. - Returns: the exit status, or 128 plus the signal's number.
    func wait() async -> Int32 {
        let status = await exit.wait()
        Leftovers.shared.remove(pid)
        return status
    }

    var isRunning: Bool { exit.status == nil }

    func signal(_ signal: Int32) { if isRunning { kill(pid, signal) } }

    /// Sends SIGTERM, and returns the exit status.
    @discardableResult
    func stop() async -> Int32 {
        signal(SIGTERM)
        return await wait()
    }

    var outputText: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
    var errorText: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    /// The answer of `/readyz`; empty while the program does not listen.
    func readiness() async throws -> String {
        guard let port else { return "" }
        return try await Web.page("http://127.0.0.1:\(port)/readyz")
    }

    /// The bytes that the process has passed to write calls so far.
    func bytesWritten() throws -> Int64 { try number(after: "wchar:", in: "io") }

    /// The largest resident set so far, in bytes.
    func residentBytesMaximum() throws -> Int64 { try number(after: "VmHWM:", in: "status") * 1024 }

    /// The signals in one of the kernel's masks of the process: `SigIgn`, `SigCgt`.
    func signals(_ mask: String) throws -> Set<Int32> {
        let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(mask + ":") })
        let bits = try #require(UInt64(line.dropFirst(mask.count + 1).drop(while: \.isWhitespace), radix: 16))
        return Set((1...64).filter { bits >> (UInt64($0) - 1) & 1 == 1 })
    }

    private func number(after label: String, in file: String) throws -> Int64 {
        let text = try String(contentsOfFile: "/proc/\(pid)/\(file)", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(label) })
        return try #require(Int64(line.dropFirst(label.count).split(whereSeparator: \.isWhitespace).first ?? ""))
    }
}
