import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import HTTPCalls
@testable import UploadDestinations

/// Bodies that the kernel sends from a file, to servers that misbehave.
@Suite(.timeLimit(.minutes(5)))
struct HTTPFileBodyTests {
    private static let size = 5 << 20
    /// The range that is sent.
    private static let range: Range<Int64> = 4097..<Int64(size - 9)

    private static let cutOff = UploadError(.sourceChanged, "the file has become shorter")

    private let scratch: TemporaryDirectory
    private let bytes: [UInt8]
    private let connections = HTTPConnections()

    init() throws {
        scratch = try TemporaryDirectory("file bodies")
        bytes = DestinationConformance.bytes(Self.size)
        try Data(bytes).write(to: scratch.url("file"))
    }

    private var path: String { scratch.url("file").path }
    private var expected: ArraySlice<UInt8> { bytes[Int(Self.range.lowerBound)..<Int(Self.range.upperBound)] }

    private final class Sent: Sendable {
        let bytes = Atomic(0)
    }

    private func body(_ sent: Sent = Sent(), _ range: Range<Int64> = Self.range) -> HTTPBody {
        let file = SourceFileRange(range) { [path] () throws(UploadError) in
            open(path, O_RDONLY | O_CLOEXEC)
        } check: { [path] () throws(UploadError) in
            var status = stat()
            guard stat(path, &status) == 0, status.st_size >= range.upperBound else { throw Self.cutOff }
        }
        return HTTPBody(source: SourceBuffers { _ in nil }, size: Int64(range.count), file: file) {
            sent.bytes.add($0, ordering: .relaxed)
        }
    }

    private func send(_ body: HTTPBody, to port: Int, limitSeconds: Double = 60) async throws -> HTTPReply {
        try await send(
            .file(try #require(body.fileBody)), to: port, limitSeconds: limitSeconds)
    }

    private func send(_ body: HTTPCall.Body, to port: Int, limitSeconds: Double = 60) async throws -> HTTPReply {
        let exchange = HTTPExchange(
            client: HTTPConfiguration.sharedClient,
            times: HTTPTimes(firstByteSeconds: limitSeconds, stallSeconds: limitSeconds),
            displayURL: "http://127.0.0.1:\(port)/x")
        let origin = try #require(HTTPOrigin(scheme: "http", authority: "127.0.0.1:\(port)"))
        let head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/x")
        return try await exchange.run(head, body: body, over: connections, to: origin)
    }

    /// Waits until no descriptor of the file is left open.
    private func expectClosed() async throws {
        try await eventually("no descriptor of the file is open") {
            let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return !numbers.contains {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
            }
        }
    }

    @Test func `the range arrives whole, and the connection carries the next file`() async throws {
        let received = Mutex<[[UInt8]]>([])
        let connectionCount = Atomic(0)
        let server = try ScriptedServer { connection in
            connectionCount.add(1, ordering: .relaxed)
            while connection.readHead().contains("content-length: \(Self.range.count)\r\n") {
                let bytes = connection.readBytes(Self.range.count)
                received.withLock { $0.append(bytes) }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        for _ in 0..<2 {
            let sent = Sent()
            let body = body(sent)
            #expect(try await send(body, to: server.port).status == 200)
            #expect(body.isComplete && sent.bytes.load(ordering: .relaxed) == Self.range.count)
        }
        #expect(received.withLock { $0.count == 2 && $0.allSatisfy { $0[...] == expected } })
        #expect(connectionCount.load(ordering: .relaxed) == 1)
        try await expectClosed()
    }

    @Test func `bodies from files and small bodies share no connection`() async throws {
        let connectionCount = Atomic(0)
        let server = try ScriptedServer { connection in
            connectionCount.add(1, ordering: .relaxed)
            while true {
                let head = connection.readHead()
                guard !head.isEmpty else { return }
                connection.read(head.contains("content-length: 4\r\n") ? 4 : Self.range.count)
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        _ = try await send(body(), to: server.port)
        _ = try await send(.bytes(ByteBuffer(string: "four")), to: server.port)
        #expect(connectionCount.load(ordering: .relaxed) == 2)
        #expect(connections.idleCount == 2)
    }

    @Test func `a file that is cut off while it is sent is an error of the source, and nothing else is sent`()
        async throws
    {
        // Much more than the system takes before the server reads it.
        let range: Range<Int64> = 0..<64 << 20
        #expect(truncate(path, Int(range.upperBound)) == 0)
        let received = Atomic(0)
        let server = try ScriptedServer { [path] connection in
            _ = connection.readHead()
            connection.read(1 << 20)
            truncate(path, 1 << 20)
            connection.read(range.count) { received.add($0.count, ordering: .relaxed) }
        }
        let body = body(Sent(), range)
        let error = try await #require(throws: UploadError.self) { try await send(body, to: server.port) }
        #expect(error == Self.cutOff)
        #expect(!body.isComplete)
        try await expectClosed()
        #expect(received.load(ordering: .relaxed) < range.count / 2)
    }

    @Test func `an answer that comes early ends the call, and the body does not count as taken`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(1000)
            connection.write("HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n")
            while !connection.isHungUp(after: 100) {}
        }
        let body = body()
        #expect(try await send(body, to: server.port).status == 503)
        #expect(!body.isComplete)
        try await expectClosed()
    }

    @Test func `over a connection that the server had closed it is sent again, and no byte counts twice`() async throws
    {
        let requestCount = Atomic(0)
        let again = Mutex<[UInt8]>([])
        let server = try ScriptedServer { connection in
            while !connection.readHead().isEmpty {
                switch requestCount.add(1, ordering: .relaxed).newValue {
                case 1: connection.read(Self.range.count)
                case 2:
                    connection.read(2 << 20)
                    return connection.reset()
                default:
                    let bytes = connection.readBytes(Self.range.count)
                    again.withLock { $0 = bytes }
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        _ = try await send(body(), to: server.port)
        let sent = Sent()
        #expect(try await send(body(sent), to: server.port).status == 200)
        #expect(again.withLock { $0[...] == expected })
        #expect(sent.bytes.load(ordering: .relaxed) == Self.range.count)
        #expect(requestCount.load(ordering: .relaxed) == 3)
        try await expectClosed()
    }

    @Test func `a server that takes no bytes is not waited for`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            while !connection.isHungUp(after: 100) {}
        }
        let error = try await #require(throws: UploadError.self) {
            try await send(body(), to: server.port, limitSeconds: 1)
        }
        #expect(error.code == .networkFailure && error.message.contains("took no bytes"), "\(error)")
        try await expectClosed()
    }

    @Test func `what the system cannot send is refused, and no byte of it counts`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(Self.range.count)
        }
        let directory = SourceFileRange(Self.range) { () throws(UploadError) in
            open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        } check: {
        }
        let source = SourceBuffers { _ in nil }
        let body = HTTPBody(source: source, size: Int64(Self.range.count), file: directory) { _ in }
        await #expect(throws: UploadError.self) { try await send(body, to: server.port) }
        #expect(body.isFileRefused && body.fileBody == nil && body.bytesTaken == 0)
    }

    @Test func `a call that is given up closes its file`() async throws {
        let hasBegun = Atomic(false)
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            hasBegun.store(true, ordering: .relaxed)
            while !connection.isHungUp(after: 100) {}
        }
        let task = Task { try await send(body(), to: server.port) }
        try await eventually("the request has begun") { hasBegun.load(ordering: .relaxed) }
        task.cancel()
        let error = await #expect(throws: UploadError.self) { try await task.value }
        #expect(error?.code == .interrupted)
        try await expectClosed()
    }

    @Test func `what the program has to see passes through it`() throws {
        let file = SourceFileRange(0..<1) { () throws(UploadError) in
            0
        } check: {
        }
        let source = SourceBuffers { _ in nil }
        #expect(HTTPBody(source: source, size: 1, file: file) { _ in }.fileBody != nil)
        #expect(HTTPBody(source: source, size: 1, head: [1], file: file) { _ in }.fileBody == nil)
        #expect(HTTPBody(source: source, size: 1, tail: [1], file: file) { _ in }.fileBody == nil)
        #expect(HTTPBody(source: source, size: 1, takesMD5: true, file: file) { _ in }.fileBody == nil)
    }
}
