import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// The stream of events over a real socket: its bounds, and the events that its readers get.
@Suite(.serialized, .timeLimit(.minutes(15))) struct EventStreamTests {
    /// A connection that a test reads from or leaves alone.
    private final class Reader: Sendable {
        let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

        init(_ port: Int) async throws {
            channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelOption(.socketOption(.so_rcvbuf), value: 4096)
                .connect(host: "127.0.0.1", port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel(
                            wrappingChannelSynchronously: channel,
                            // One buffer at a time: a reader that does not read takes nothing.
                            configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 1)))
                    }
                }
        }

        /// Sends a request, and reads until the condition holds or the stream ends.
        func ask(
            _ path: String, cookie: String? = nil, until isDone: @escaping @Sendable (String) -> Bool
        ) async throws -> String {
            let headers = "Host: localhost\r\n" + (cookie.map { "Cookie: \($0)\r\n" } ?? "")
            let heard = Mutex("")
            do {
                try await withTimeLimit(240) { [channel] in
                    try await channel.executeThenClose { inbound, outbound in
                        try await outbound.write(ByteBuffer(string: "GET \(path) HTTP/1.1\r\n\(headers)\r\n"))
                        for try await buffer in inbound {
                            let text = heard.withLock { text in
                                text += String(buffer: buffer)
                                return text
                            }
                            if isDone(text) { break }
                        }
                    }
                }
            } catch is TimeLimitExceeded {
                Issue.record("\(path) did not say what was waited for: \(heard.withLock { $0 })")
            }
            return heard.withLock { $0 }
        }
    }

    private final class Flag: Sendable {
        let isSet = Mutex(false)
    }

    /// Serves the API of a house on a free port while the body runs; then stops it as SIGTERM does.
    private func serve(_ house: APIHouse, _ body: (Int) async throws -> Void) async throws {
        let router = Router(context: APIRequestContext.self)
        house.api.add(to: router)
        let (ports, announce) = AsyncStream.makeStream(of: Int.self)
        let accepted = AcceptedConnections()
        defer { accepted.end() }
        let application = Application(
            router: router, server: accepted.http1(.init()),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { announce.yield($0.localAddress?.port ?? 0) }, logger: quiet)
        let group = ServiceGroup(services: [application], logger: quiet)
        let running = Task { try await group.run() }
        var found = ports.makeAsyncIterator()
        let port = try #require(await found.next())
        do {
            try await body(port)
        } catch {
            running.cancel()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await running.value
    }

    private func progress(_ job: UploadJob, _ bytes: Int64, after seconds: TimeInterval = 0) -> UploadEvent {
        var event = UploadEvent(kind: .progress, of: Baton(job: job), at: Sample.start + seconds)
        event.data.bytesDone = bytes
        return event
    }

    private static func bodies(_ text: String, of type: String) -> [[String: Any]] {
        text.components(separatedBy: "\n\n").filter { $0.contains("event: \(type)\n") }.compactMap { event in
            guard let data = event.components(separatedBy: "data: ").last else { return nil }
            return try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
        }
    }

    @Test func `progress comes beside the events, without an id, and only of the jobs that were asked for`()
        async throws
    {
        let house = try await APIHouse()
        let (job, other) = (Sample.job(), Sample.job(key: "other"))
        try await house.record([.job(job, maybeRepeated: false), Sample.event(.started, job)])
        house.progress.note([progress(job, 1), progress(job, 2, after: 1), progress(other, 1)])
        try await serve(house) { port in
            let text = try await Reader(port).ask("/v1/events?after=0&progress=true&job=\(job.id)") {
                $0.contains("event: progress") && $0.contains("upload.started")
            }
            let told = Self.bodies(text, of: "progress")
            #expect(told.map { $0["bytesDone"] as? Int } == [2])
            #expect(told.first?["target"] as? String == "https://host.example/a")
            let event = try #require(text.components(separatedBy: "\n\n").first { $0.contains("event: progress") })
            #expect(!event.contains("id:"))
            #expect(!text.contains("hidden") && !text.contains(other.id.rawValue))
        }
    }

    @Test func `no reader gets progress unasked, nor the same progress twice`() async throws {
        var limits = EventStreamLimits()
        limits.heartbeat = .milliseconds(20)
        limits.pause = .milliseconds(1)
        limits.progressInterval = .zero
        let house = try await APIHouse(streaming: limits)
        house.progress.note([progress(Sample.job(), 1)])
        try await serve(house) { port in
            let heartbeats = { @Sendable (text: String) in text.components(separatedBy: ": still here").count > 3 }
            #expect(!(try await Reader(port).ask("/v1/events", until: heartbeats)).contains("progress"))
            let text = try await Reader(port).ask("/v1/events?progress=true", until: heartbeats)
            #expect(Self.bodies(text, of: "progress").count == 1)
        }
    }

    @Test(arguments: ["?kind=progress", "?progress=yes", "?progress=true&progress=true"])
    func `what is no way to ask for progress is refused`(query: String) async throws {
        let house = try await APIHouse()
        try await house.with { client in
            let reply = try await client.ask(.get, "/v1/events\(query)")
            #expect(reply.status == 400 && reply.problem == "invalid-request")
        }
    }

    @Test func `the dashboard's stream begins with the version of the page, and ends with the session`() async throws {
        let house = try await APIHouse(access: .token("0123456789abcdef"))
        try await house.record([.job(Sample.job(), maybeRepeated: false)])
        let (sessions, access) = (house.api.dashboard.sessions, house.api.access.value)
        let token = try #require(access.token(named: "notifier.token"))
        let session = try #require(sessions.begin(token, at: Date()))
        try await serve(house) { port in
            async let stream = Reader(port).ask(
                "/dashboard/stream", cookie: "\(DashboardSessions.cookieName("localhost"))=\(session)"
            ) { $0.hasSuffix("\r\n0\r\n\r\n") }
            try await until { house.api.readers.withLock { $0 } == 1 }
            sessions.end(session, among: access, at: Date())
            let text = try await stream
            #expect(text.contains("text/event-stream"))
            #expect(text.contains("retry: 2000\n\nevent: version\ndata: \(DashboardAsset.version)\n\n"))
            try await until { house.api.readers.withLock { $0 } == 0 }
        }
    }

    @Test func `a reader that does not read is cut off, and its place is free again`() async throws {
        var limits = EventStreamLimits()
        limits.writeSecondsMaximum = 0.2
        limits.pause = .milliseconds(1)
        let house = try await APIHouse(streaming: limits)
        // More bytes than a socket between two programs of one host buffers.
        let metadata = ["note": String(repeating: "x", count: 1000)]
        for portion in 0..<5 {
            try await house.record(
                (0..<1000).flatMap { number in
                    var job = Sample.job(key: "\(portion)-\(number)-" + String(repeating: "y", count: 900))
                    job.metadata = metadata
                    return [.job(job, maybeRepeated: false), Sample.event(.started, job)]
                })
        }
        try await serve(house) { port in
            let reader = try await Reader(port)
            try await reader.channel.executeThenClose { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(string: "GET /v1/events?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                try await until(240) { house.api.readers.withLock { $0 } == 1 }
                // The stream waits for its reader with one page in memory, not with all events of the ledger.
                try await until(240) { house.api.readers.withLock { $0 } == 0 }
                withExtendedLifetime(inbound) {}
            }
        }
    }

    @Test func `one reader too many gets a problem, and a place once another has left`() async throws {
        var limits = EventStreamLimits()
        limits.readersMaximum = 2
        limits.pause = .milliseconds(1)
        limits.heartbeat = .milliseconds(10)
        let house = try await APIHouse(streaming: limits)
        #expect(EventStreamLimits().readersMaximum == 64)
        try await serve(house) { port in
            let leaving = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        _ = try await Reader(port).ask("/v1/events") { _ in leaving.isSet.withLock { $0 } }
                    }
                }
                try await until(240) { house.api.readers.withLock { $0 } == 2 }
                let refused = try await Reader(port).ask("/v1/events") { $0.contains("too-many-readers") }
                #expect(refused.hasPrefix("HTTP/1.1 429") && refused.contains("application/problem+json"))
                #expect(refused.lowercased().contains("retry-after: 5"))
                leaving.isSet.withLock { $0 = true }
                try await group.waitForAll()
            }
            try await until(240) { house.api.readers.withLock { $0 } == 0 }
            let text = try await Reader(port).ask("/v1/events") { $0.contains("retry: 2000") }
            #expect(text.hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `a notifier that stops ends the streams, and with them itself`() async throws {
        let house = try await APIHouse()
        let reader = Mutex<Task<String, any Error>?>(nil)
        try await serve(house) { port in
            let task = Task { try await Reader(port).ask("/v1/events") { $0.hasSuffix("0\r\n\r\n") } }
            reader.withLock { $0 = task }
            try await until(240) { house.api.readers.withLock { $0 } == 1 }
        }
        let text = try await #require(reader.withLock { $0 }).value
        #expect(text.hasSuffix("0\r\n\r\n"), "the answer ends as an answer does")
    }
}
