import AsyncHTTPClient
import Foundation
import Testing
import UploadDestinations
import UploadSources
import UploadTesting
import Uploads

/// Runs against a real nginx, over TCP and over TLS.
@Suite(.timeLimit(.minutes(10)))
struct HTTPConformanceTests {
    private func withConformance(
        isSecure: Bool = false, trusting: Bool = true,
        _ body: (DestinationConformance, NginxServer) async throws -> Void
    ) async throws {
        let server = try await NginxServer(isSecure: isSecure)
        let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
        let name = try DestinationName("web")
        let configuration = HTTPConfiguration(
            url: server.url + "base", tls: TLSFiles(authorities: isSecure && trusting ? server.certificatePath : nil))
        let conformance = DestinationConformance(
            destination: { HTTPDestination(configuration, client: client) },
            sources: LocalSources(areas: [], roots: []), reference: { .named(name, key: $0) },
            stored: { server.stored("base/" + $0) }, partBytes: 1 << 20)
        do {
            try await body(conformance, server)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    @Test(arguments: [false, true])
    func `files of all edge sizes arrive`(isSecure: Bool) async throws {
        try await withConformance(isSecure: isSecure) { conformance, _ in try await conformance.edgeSizesArrive() }
    }

    @Test func `odd names arrive`() async throws {
        try await withConformance { conformance, _ in try await conformance.oddNamesArrive() }
    }

    @Test(arguments: [false, true])
    func `objects are read back`(isSecure: Bool) async throws {
        try await withConformance(isSecure: isSecure) { conformance, _ in
            try await conformance.objectsAreReadBack()
            try await conformance.readingStopsWhenItIsToldTo()
        }
    }

    @Test func `what a pre-signed URL stores cannot be read back, and that is known beforehand`() async throws {
        try await withConformance { conformance, server in
            let readable = try #require(try conformance.destination() as? any ReadableDestination)
            var job = try conformance.job([1], key: "x")
            #expect(readable.readBackProblem(of: job) == nil)
            job.destination = .url(server.url + "x?X-Signature=topsecret1234")
            let problem = try #require(readable.readBackProblem(of: job))
            #expect(problem.code == .rejected && problem.retry == .never)
            #expect(!problem.message.contains("topsecret"))
        }
    }

    @Test func `the last of two wins`() async throws {
        try await withConformance { conformance, _ in try await conformance.theLastOfTwoWins() }
    }

    @Test func `many at once arrive`() async throws {
        try await withConformance { conformance, _ in try await conformance.manyAtOnceArrive() }
    }

    @Test func `a whole URL needs no configuration, and the answer is kept`() async throws {
        try await withConformance { conformance, server in
            var job = try conformance.job([1, 2, 3], key: "x")
            job.destination = .url(server.url + "open%20url?X-Signature=topsecret1234")
            let completed = try await conformance.carry(job)
            #expect(server.stored("open url") == [1, 2, 3])
            #expect(completed.response?.status == 201)
            #expect(completed.object.location == server.url + "open%20url")
            #expect(completed.object.size == 3)
            let session = try await conformance.destination().open(job, resuming: nil)
            #expect(session.state == nil)
            #expect(try await conformance.destination().probe(job, state: nil) == .unknowable)
            #expect(try !conformance.destination().canYield(job))
        }
    }

    @Test func `what the server forbids or finds too large is told by its status`() async throws {
        try await withConformance { conformance, server in
            var job = try conformance.job([1, 2, 3], key: "x")
            job.destination = .url(server.url + "forbidden/x?X-Signature=topsecret1234")
            var error = await #expect(throws: UploadError.self) { try await conformance.carry(job) }
            #expect(error?.code == .accessDenied)
            #expect(error?.message.contains("issue a new URL") == true)
            #expect(error?.response?.body == "no entry here")
            job = try conformance.job([UInt8](repeating: 7, count: 65 << 20), key: "large")
            error = await #expect(throws: UploadError.self) { try await conformance.carry(job) }
            #expect(error?.code == .rejected)
            #expect(error?.response?.status == 413)
        }
    }

    @Test func `a certificate of an unknown authority is refused, with what to do`() async throws {
        try await withConformance(isSecure: true, trusting: false) { conformance, server in
            let job = try conformance.job([1], key: "x")
            let error = await #expect(throws: UploadError.self) { try await conformance.carry(job) }
            #expect(error?.code == .misconfigured)
            #expect(error?.retry == .afterBackoff)
            #expect(error?.message.contains("certificate") == true)
            #expect(server.stored("base/x") == nil)
        }
    }

    @Test func `a damaged staged copy is never stored`() async throws {
        try await withConformance { conformance, server in
            let scratch = try TemporaryDirectory()
            let area = try await StagingArea.open(at: scratch.path("staging"))
            let bytes = DestinationConformance.bytes((8 << 20) + 100)
            let staged = try await area.stage(fileAt: scratch.write(bytes, to: "original"))
            guard case .staged(_, let name) = staged.reference else { throw DidNotHappen.unclaimed }
            let handle = try FileHandle(forUpdating: URL(filePath: area.path + "/" + name))
            try handle.seek(toOffset: 8 << 20)
            try handle.write(contentsOf: [~bytes[8 << 20]])
            try handle.close()
            let job = UploadJob(
                source: staged.reference, destination: .url(server.url + "x"), size: staged.size,
                digests: staged.digests)
            guard case .claimed(let source) = try await LocalSources(areas: [area], roots: []).claim(job) else {
                throw DidNotHappen.unclaimed
            }
            let session = try await conformance.destination().open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.plan.part(1), from: source) { _ in }
            }
            #expect(error?.code == .sourceChanged)
            await source.close()
            #expect(server.stored("x") == nil)
        }
    }
}
