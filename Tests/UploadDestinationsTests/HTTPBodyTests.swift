import AsyncHTTPClient
import Dispatch
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

@Suite(.timeLimit(.minutes(10)))
struct HTTPBodyTests {
    private static let size = 32 << 20

    /// On a busy machine the event loop that writes, and that asks the client to stop, may be late.
    @Test func `while the event loop gets no time, little is taken from the source`() async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.read(Self.size)
            connection.answer("200 OK")
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(group), configuration: HTTPConfiguration.clientConfiguration)
        let destination = HTTPDestination(HTTPConfiguration(), client: client)
        let job = UploadJob(
            source: .inline(Data(count: Self.size)), destination: .url("http://127.0.0.1:\(server.port)/x"),
            size: Int64(Self.size))
        guard case .claimed(let source) = try await LocalSources(areas: [], roots: []).claim(job) else {
            throw DidNotHappen("an inline source can always be claimed")
        }
        let session = try await destination.open(job, resuming: nil)
        let sent = Atomic(0)
        let release = DispatchSemaphore(value: 0)
        async let uploading: Void = session.upload(session.plan.part(1), from: source) { count in
            let isFirst = sent.add(count, ordering: .sequentiallyConsistent).oldValue == 0
            if isFirst { group.next().execute { release.wait() } }
        }
        try await eventually("the loop is held") { sent.load(ordering: .sequentiallyConsistent) > 0 }
        // Long enough for the whole body to be taken, if the limit failed.
        try await Task.sleep(for: .seconds(1))
        #expect(sent.load(ordering: .sequentiallyConsistent) <= 2 * HTTPBody.unwrittenBytesMaximum)
        release.signal()
        try await uploading
        #expect(sent.load(ordering: .sequentiallyConsistent) == Self.size)
        try await client.shutdown()
        try await group.shutdownGracefully()
    }
}
