import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// The rules for every destination, as far as the protocol allows, against tuspyserver.
@Suite(.timeLimit(.minutes(10)))
struct TusConformanceTests {
    private func run(_ body: (DestinationConformance) async throws -> Void) async throws {
        try await TusBench.with { try await body($0.conformance()) }
    }

    @Test func `files of edge sizes arrive`() async throws { try await run { try await $0.edgeSizesArrive() } }

    @Test func `odd names arrive`() async throws { try await run { try await $0.oddNamesArrive() } }

    @Test func `a source that changed is refused`() async throws {
        try await run { try await $0.aSourceThatChangedIsRefused() }
    }

    @Test func `another worker goes on`() async throws { try await run { try await $0.anotherWorkerGoesOn() } }

    @Test func `a discarded upload leaves nothing`() async throws {
        try await TusBench.with { bench in
            try await bench.conformance().aDiscardedUploadLeavesNothing()
            #expect(try bench.uploads().count == 1, "only the one that was carried afterwards")
        }
    }

    @Test func `many at once arrive`() async throws {
        try await TusBench.with { bench in
            var configuration = bench.configuration
            configuration.url = bench.server.url
            try await bench.conformance(configuration).manyAtOnceArrive()
        }
    }

    @Test func `the server is told the name, the type, the job's metadata and whose it is`() async throws {
        try await TusBench.with { bench in
            var job = try bench.job(parts: 0.1, key: "2026/Grüße 1.txt")
            job.metadata = ["album": "Holiday, 1st", "empty": ""]
            let completed = try await bench.conformance().carry(job)
            let upload = try #require(try bench.uploads().first)
            #expect(
                upload.metadata == [
                    "filename": "Grüße 1.txt", "filetype": "text/plain",
                    "relativePath": "\(bench.folder)/2026/Grüße 1.txt", "album": "Holiday, 1st", "empty": "",
                    "longshore-job": job.id.rawValue, "longshore-enqueued-at": WireJSON.timestamp(job.enqueuedAt),
                ])
            #expect(completed.object.location == bench.configuration.url + upload.id)
            #expect(completed.response?.status == 204)
            // Some servers refuse bodies without a length.
            for record in bench.proxy.requests where record.method == "PATCH" {
                #expect(record.request.header("content-length") == String(job.size))
                #expect(record.request.header("transfer-encoding") == nil)
                #expect(record.request.header("content-type") == "application/offset+octet-stream")
            }
        }
    }

    @Test func `parts go one at a time, an upload can always be handed over, and nothing can be asked without its URL`()
        async throws
    {
        try await TusBench.with { bench in
            var configuration = bench.configuration
            configuration.limits = TransferLimits(jobs: 3, parts: 9)
            let destination = try bench.destination(configuration)
            #expect(destination.limits == TransferLimits(jobs: 3, parts: 1))
            let job = try bench.job(parts: 0.5)
            #expect(destination.canYield(job))
            #expect(try await destination.probe(job, state: nil) == .unknowable)
            #expect(bench.proxy.requests.isEmpty)
        }
    }

    @Test func `an empty file is complete once its upload is made`() async throws {
        try await TusBench.with { bench in
            let job = try bench.job(parts: 0)
            let session = try await bench.destination().open(job, resuming: nil)
            #expect(session.missing.isEmpty)
            #expect(try await session.complete(.none).object.size == 0)
            #expect(bench.offsetsSent.isEmpty)
            #expect(try bench.uploads().map(\.isComplete) == [true])
        }
    }

    @Test func `a token goes with every request, and a wrong one is told apart`() async throws {
        let server = try await TusServer.start(token: "swordfish-1234")
        try await TusBench.with(server) { bench in
            var configuration = bench.configuration
            configuration.headers = ["Authorization": "Bearer swordfish-1234"]
            try await bench.conformance(configuration).carry(bench.job(parts: 2.5))
            #expect(try bench.uploads().map(\.isComplete) == [true])
            configuration.headers = ["Authorization": "Bearer jellyfish-1234"]
            let destination = try bench.destination(configuration)
            let error = await #expect(throws: UploadError.self) {
                try await destination.open(bench.job(parts: 1), resuming: nil)
            }
            #expect(error?.code == .notAuthenticated)
            #expect(error?.retry == .never)
            let shown = "\(error as Any) \(String(describing: error?.response))"
            #expect(shown.contains("[hidden]") && !shown.contains("jellyfish"), "\(shown)")
        }
    }

    @Test func `a file that is too large is refused before a byte is sent`() async throws {
        let server = try await TusServer.start(sizeMaximum: 1000)
        try await TusBench.with(server) { bench in
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(bench.job(parts: 1), resuming: nil)
            }
            #expect(error?.code == .rejected)
            #expect(error?.message.contains("1000") == true)
            #expect(bench.proxy.requests.map(\.method) == ["OPTIONS"])
        }
    }
}
