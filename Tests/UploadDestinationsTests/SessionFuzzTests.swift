import AsyncHTTPClient
import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Sessions from states that a baton may carry: each session begins its next request, which a server on loopback refuses.
@Suite(.timeLimit(.minutes(600))) struct SessionFuzzTests {
    /// A source with every checksum and no readable bytes.
    private struct EmptySource: UploadSource {
        let size: Int64

        func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
            AsyncThrowingStream<any SourceBuffer, any Error> { nil }
        }

        func checksum(of range: Range<Int64>) async throws(UploadError) -> CRC64NVME? { CRC64NVME(7) }
        func verifyUnchanged() async throws(UploadError) {}
        func close() async {}
    }

    /// The number of bytes that the server reports to hold.
    private final class Held: Sendable {
        let bytes = Atomic<Int64>(0)
    }

    private let held: Held
    private let server: ScriptedServer

    init() throws {
        let held = Held()
        self.held = held
        server = try ScriptedServer { connection in
            let head = connection.readHead()
            let bytes = held.bytes.load(ordering: .relaxed)
            guard head.hasPrefix("HEAD") else { return connection.answer("503 Service Unavailable") }
            connection.write(
                """
                HTTP/1.1 200 OK\r\nContent-Length: \(bytes)\r\nETag: "e"\r\nUpload-Offset: \(bytes)\r\n\
                Connection: close\r\n\r\n
                """)
        }
    }

    private var url: String { "http://127.0.0.1:\(server.port)/" }

    private func job(_ size: Int64) -> UploadJob {
        var job = FuzzSamples.job
        job.size = size
        return job
    }

    // MARK: Sessions

    private typealias Open = @Sendable (UploadState, UploadJob) async throws -> any UploadSession

    /// A state of each driver, and the function that opens a session from it. No session sends a digest, for which it would read the file.
    private func drivers(_ client: HTTPClient) throws -> [(sample: UploadState, open: Open)] {
        let url = url
        var ranges = HTTPState(FuzzSamples.job, partBytes: 8 << 20)
        ranges.reached = 1000
        ranges.etag = "\"e\""
        ranges.tail = .init(range: 0..<1000, checksum: CRC64NVME(7))
        var http = HTTPConfiguration(url: url)
        http.ranges = true
        let resumable = try ResumableClient(ResumableConfiguration(url: url), client: client)
        var configuration = TusConfiguration(url: url)
        configuration.sendsChecksums = false
        let tus = try TusClient(configuration, client: client)
        return [
            (
                ranges.uploadState,
                { [http] state, job in
                    let target = try HTTPTarget(job, http)
                    let exchange = HTTPExchange(client: client, times: http.times, displayURL: url)
                    return try await HTTPRangeSession(HTTPRanges(target, exchange), resuming: HTTPState(state))
                }
            ),
            (
                ResumableState(url + "u", .v6, partBytes: 8 << 20, expiry: FuzzSamples.time).uploadState,
                { state, job in
                    let known = try ResumableState(state)
                    let upload = ResumableUpload(
                        client: resumable, target: try ResumableTarget(job, resumable.configuration), url: url + "u",
                        interop: known.interop)
                    guard let heldBytes = try await upload.held() else { throw DidNotHappen("there is an upload") }
                    return ResumableSession(
                        ResumableStream(upload, partBytes: known.partBytes, heldBytes), partBytes: known.partBytes)
                }
            ),
            (
                TusState(.whole(url + "u"), partBytes: 8 << 20).uploadState,
                { state, job in
                    let upload = TusUpload(client: tus, job: job, url: url + "u", range: 0..<job.size)
                    let reached = try await upload.held()?.reached ?? 0
                    return TusSession(TusStream(upload, reached: reached), try TusState(state))
                }
            ),
        ]
    }

    @Test func `no state makes a session trap, whatever part it is at`() async throws {
        let client = HTTPClient(
            eventLoopGroupProvider: .singleton, configuration: HTTPConfiguration.clientConfiguration)
        var fuzz = Fuzz(for: "sessions of states")
        do {
            let drivers = try drivers(client)
            var sessions = 0
            for _ in 0..<max(1, Fuzz.inputCount / 4) {
                let (sample, open) = fuzz.pick(drivers)
                guard let state = try? WireJSON.decode(UploadState.self, from: fuzz.damaged(sample)) else { continue }
                let said = state.payload["size"]?.integer ?? fuzz.integer()
                let job = job(max(0, min(said, WireLimits.sizeMaximum)))
                let reached = state.payload["reached"]?.integer ?? fuzz.integer()
                held.bytes.store(max(0, min(reached, job.size)), ordering: .relaxed)
                guard let session = try? await open(state, job) else { continue }
                sessions += 1
                try await drive(session, job)
            }
            #expect(sessions > Fuzz.inputCount / 50, "seed \(fuzz.seed)")
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    /// Sends the first, a middle and the last part. Lists the missing parts unless there are millions of them.
    private func drive(_ session: any UploadSession, _ job: UploadJob) async throws {
        let plan = session.plan
        if plan.count < 10_000 { _ = session.missing }
        for number in Set([1, plan.count / 2 + 1, plan.count]) {
            try? await session.upload(plan.part(number), from: EmptySource(size: job.size)) { _ in }
        }
        let state = try #require(session.state)
        #expect(try WireJSON.decode(UploadState.self, from: WireJSON.encode(state)) == state)
    }

    // MARK: Bounds

    @Test(arguments: [0, -1, (1 << 50) + 1, .max, .min] as [Int64])
    func `a state with parts of a size that no driver writes is none`(bytes: Int64) throws {
        let states = [
            HTTPState(job(5), partBytes: bytes).uploadState,
            S3State(uploadID: "u", partBytes: bytes, checksum: .crc64nvme).uploadState,
            ResumableState("https://h/u", .v6, partBytes: bytes).uploadState,
            TusState(.whole("https://h/u"), partBytes: bytes).uploadState,
        ]
        #expect(throws: UploadError.self) { try HTTPState(states[0]) }
        #expect(throws: UploadError.self) { try S3State(states[1]) }
        #expect(throws: UploadError.self) { try ResumableState(states[2]) }
        #expect(throws: UploadError.self) { try TusState(states[3]) }
    }

    @Test(arguments: [(-1, 0), (0, 0), (1, 1), (10_000, 10_000), (10_001, 0), (.max, 0)] as [(Int64, Int)])
    func `more parts than S3 has are not taken for proved`(proved: Int64, expected: Int) throws {
        let state = UploadState(
            driver: "s3",
            payload: [
                "uploadId": "u", "partBytes": 8_388_608, "checksum": "none", "proved": .integer(proved),
                "provedDigest": "d41d8cd98f00b204e9800998ecf8427e", "broken": [1, .integer(.max), "x", -5],
            ])
        #expect(try S3State(state).proved.count == expected)
        #expect(try S3State(state).broken.contains(1))
    }

    @Test func `parts of the largest size are read`() throws {
        let most = WireLimits.sizeMaximum
        #expect(try HTTPState(HTTPState(job(5), partBytes: most).uploadState).partBytes == most)
        #expect(
            try S3State(S3State(uploadID: "u", partBytes: most, checksum: .crc64nvme).uploadState).partBytes == most)
        #expect(try ResumableState(ResumableState("https://h/u", .v6, partBytes: most).uploadState).partBytes == most)
        #expect(try TusState(TusState(.whole("https://h/u"), partBytes: most).uploadState).partBytes == most)
    }
}
