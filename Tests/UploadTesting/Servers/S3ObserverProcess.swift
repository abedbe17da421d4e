import Foundation
import Glibc
import Synchronization

/// A Python with boto3, which takes half a second of processor time to start: observers that come later use it again. It ends with this
/// process.
final class S3ObserverProcess: Sendable {
    private static let idle = Mutex<[S3ObserverProcess]>([])

    private let pid: pid_t
    /// A socket whose other end is the process's standard input and output.
    private let socket: CInt
    /// Held during a request and its answer; false from when a request was sent until its answer has come.
    private let works = Mutex(true)

    static func take() async throws -> S3ObserverProcess {
        if let process = idle.withLock({ $0.popLast() }) { return process }
        return try S3ObserverProcess(python: try await TestProgram.python(with: "boto3"))
    }

    func giveBack() {
        if works.withLock(\.self) { Self.idle.withLock { $0.append(self) } }
    }

    private init(python: String) throws {
        var ends: [CInt] = [0, 0]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw DidNotHappen("no socket pair, errno \(errno)") }
        defer { close(ends[1]) }
        do {
            pid = try Spawn.run(
                python, [TestProgram.script("s3-observer.py")],
                environment: [
                    "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
                    "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
                    "AWS_EC2_METADATA_DISABLED": "true",
                ], descriptors: [0: ends[1], 1: ends[1]])
        } catch {
            close(ends[0])
            throw error
        }
        socket = ends[0]
    }

    deinit {
        close(socket)
        kill(pid, SIGKILL)
        while waitpid(pid, nil, 0) == -1 && errno == EINTR {}
    }

    /// Sends a request, and waits for its answer.
    func exchange(_ line: [UInt8]) throws -> Data {
        try works.withLock { works in
            works = false
            var sent = 0
            while sent < line.count {
                let count = line[sent...].withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard count > 0 || errno == EINTR else { throw DidNotHappen("the observer ended, errno \(errno)") }
                sent += max(count, 0)
            }
            var answer = Data()
            var chunk = [UInt8](repeating: 0, count: 1 << 18)
            while answer.last != 10 {
                let count = recv(socket, &chunk, chunk.count, 0)
                guard count > 0 || (count < 0 && errno == EINTR) else { throw DidNotHappen("the observer ended") }
                chunk.withUnsafeBytes { answer.append(contentsOf: $0.prefix(max(count, 0))) }
            }
            works = true
            return answer
        }
    }
}
