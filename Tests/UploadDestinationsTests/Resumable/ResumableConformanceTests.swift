import Foundation
import HTTPTypes
import ResumableTesting
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// The rules for every destination, as far as the protocol allows: against swift-nio-extras for versions 3, 5 and 6, and against a
/// scripted server for 7 and 8.
@Suite(.timeLimit(.minutes(10)))
struct ResumableConformanceTests {
    static let all = ResumableInterop.allCases

    /// Runs with a server that speaks the version, and a driver that is configured for it.
    static func with(
        _ interop: ResumableInterop, _ body: (ResumableBench, DestinationConformance) async throws -> Void
    ) async throws {
        let server: any ResumableServer
        if interop.saysComplete {
            var behaviour = DraftServer.Behaviour()
            behaviour.interop = interop.rawValue
            server = try DraftServer(behaviour)
        } else {
            server = try await AppleServer()
        }
        try await ResumableBench.with(server) { bench in
            try await body(bench, bench.conformance(bench.configuration(interop)))
        }
    }

    @Test(arguments: all)
    func `files of edge sizes arrive`(interop: ResumableInterop) async throws {
        try await Self.with(interop) { bench, conformance in
            try await conformance.edgeSizesArrive()
            // Some servers refuse bodies without a length.
            for record in bench.requests("PATCH") {
                #expect(record.request.header("content-length").flatMap { Int($0) } == record.bodyBytes)
                #expect(record.request.header("transfer-encoding") == nil)
                #expect(record.request.header("content-type") == interop.partType)
            }
            #expect(
                bench.proxy.requests.allSatisfy {
                    $0.request.header("upload-draft-interop-version") == String(interop.rawValue)
                })
        }
    }

    @Test(arguments: all)
    func `odd names arrive`(interop: ResumableInterop) async throws {
        try await Self.with(interop) { _, conformance in try await conformance.oddNamesArrive() }
    }

    @Test(arguments: all)
    func `the last of two wins`(interop: ResumableInterop) async throws {
        try await Self.with(interop) { _, conformance in try await conformance.theLastOfTwoWins() }
    }

    @Test(arguments: all)
    func `many at once arrive`(interop: ResumableInterop) async throws {
        try await Self.with(interop) { bench, _ in
            // Without the proxy.
            var configuration = bench.configuration(interop)
            configuration.url = "http://127.0.0.1:\(bench.server.port)/files"
            try await bench.conformance(configuration).manyAtOnceArrive()
        }
    }

    @Test(arguments: all)
    func `a discarded upload leaves nothing`(interop: ResumableInterop) async throws {
        try await Self.with(interop) { _, conformance in try await conformance.aDiscardedUploadLeavesNothing() }
    }

    @Test(arguments: [ResumableInterop.v7, .v8])
    func `another worker goes on, and finds what is complete`(interop: ResumableInterop) async throws {
        try await Self.with(interop) { _, conformance in try await conformance.anotherWorkerGoesOn() }
    }

    /// swift-nio-extras forgets a complete upload when the connection that completed it closes.
    @Test(arguments: [ResumableInterop.v3, .v5, .v6])
    func `another worker goes on at swift-nio-extras`(interop: ResumableInterop) async throws {
        try await Self.with(interop) { bench, conformance in
            let job = try bench.job(parts: 4.5)
            let first = try await conformance.destination().open(job, resuming: nil)
            let state = try #require(first.state)
            try await bench.send(2, of: job, to: first)
            #expect(bench.server.stored("file") == nil, "nothing is seen before it is whole")
            #expect(try await conformance.destination().probe(job, state: state) == .partial(state, beside: nil))
            let second = try await conformance.destination().open(job, resuming: state)
            #expect(second.missing.map(\.number) == [3, 4, 5])
            try await bench.send(of: job, to: second)
            let completed = try await second.complete(.none)
            #expect(bench.server.stored("file") == DestinationConformance.bytes(Int(job.size)))
            #expect(completed.object.digests == job.digests)
            #expect(completed.object.location == bench.configuration.url + "file")
            #expect(completed.response?.status == 201)
            #expect(
                completed.response?.headers["server"] == "apple", "the last part is answered by who processed the file")
            #expect(try await second.complete(.none) == completed, "completing twice is safe")
        }
    }

    @Test func `swift-nio-extras is asked what it speaks, and gets it`() async throws {
        let server = try await AppleServer()
        try await ResumableBench.with(server) { bench in
            let destination = try bench.destination()
            var job = try bench.job(parts: 1.5, key: "a/b c.txt")
            job.metadata = ["album": "Holiday"]
            job.properties = ObjectProperties(cacheControl: "no-store")
            for _ in 1...2 {
                let session = try await destination.open(job, resuming: nil)
                try await bench.send(of: job, to: session)
                _ = try await session.complete(.none)
            }
            #expect(destination.canYield(job))
            #expect(bench.requests("OPTIONS").count == 1, "asked once")
            let versions = bench.proxy.requests.map { $0.request.header("upload-draft-interop-version") }
            #expect(versions == ["8"] + Array(repeating: "6", count: 6))
            let head = try #require(server.requests.first)
            #expect(head.method == .put)
            #expect(head.path == "/files/a/b%20c.txt")
            #expect(head.headerFields[.contentType] == "text/plain")
            #expect(head.headerFields[.cacheControl] == "no-store")
        }
    }

    @Test func `parts go one at a time, an upload can always be handed over, and nothing can be asked without its URL`()
        async throws
    {
        try await ResumableBench.with(DraftServer()) { bench in
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

    @Test func `where every upload goes to one URL, the name is told, and the object is where the server says`()
        async throws
    {
        var behaviour = DraftServer.Behaviour()
        behaviour.headers = ["Location: /objects/17?token=swordfish-1234", "ETag: \"abc\""]
        let server = try DraftServer(behaviour)
        try await ResumableBench.with(server) { bench in
            var configuration = bench.configuration
            configuration.url += "drop"
            configuration.hasKeyInURL = false
            for (key, disposition) in [
                ("2026/cat.jpg", "inline; filename=\"cat.jpg\""),
                ("a\"ü\".txt", "inline; filename=\"a___.txt\"; filename*=UTF-8''a%22%C3%BC%22.txt"),
            ] {
                bench.proxy.forget()
                let job = try bench.job(parts: 1.5, key: key)
                let completed = try await bench.conformance(configuration).carry(job)
                let creation = try #require(bench.requests("POST").first)
                #expect(creation.target == "/files/drop")
                #expect(creation.request.header("content-disposition") == disposition)
                #expect(completed.object.location == "http://127.0.0.1:\(bench.proxy.port)/objects/17")
                #expect(completed.object.etag == "\"abc\"")
                #expect(completed.response?.body == "processed")
                #expect(server.stored("drop") == DestinationConformance.bytes(Int(job.size)))
            }
        }
    }

    /// From draft -06 on the answer need only contain the upload's `Location`.
    @Test func `where an upload was made in so many words, the next one is believed without them`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            let destination = try bench.destination()
            for methods in [["OPTIONS", "PUT", "HEAD"], ["PUT"]] {
                bench.proxy.forget()
                #expect(try await destination.open(bench.job(parts: 1), resuming: nil).state != nil)
                #expect(bench.proxy.requests.map(\.method) == methods)
            }
        }
    }

    @Test func `an empty file is one request, which says that nothing follows`() async throws {
        let server = try DraftServer()
        try await ResumableBench.with(server) { bench in
            let job = try bench.job(parts: 0)
            let completed = try await bench.conformance().carry(job)
            #expect(completed.object.size == 0)
            #expect(server.stored("file") == [])
            #expect(bench.proxy.requests.map(\.method) == ["OPTIONS", "PUT"])
            #expect(bench.requests("PUT").first?.request.header("upload-complete") == "?1")
            #expect(server.uploads.isEmpty)
        }
    }

    @Test func `digests are told: of the whole where it is known, of parts where it is wanted`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            var configuration = bench.configuration
            configuration.sendsDigests = true
            var job = try bench.conformance().job(Array("abc".utf8), key: "abc")
            job.digests.sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            try await bench.conformance(configuration).carry(job)
            // FIPS 180-2, appendix B.1; RFC 9530, section 2.
            let field = "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"
            #expect(bench.requests("PUT").map { $0.request.header("repr-digest") } == [field])
            #expect(bench.requests("PATCH").map { $0.request.header("content-digest") } == [field])
            bench.proxy.forget()
            try await bench.conformance().carry(bench.job(parts: 1))
            #expect(bench.requests("PUT").map { $0.request.header("repr-digest") } == [nil])
            #expect(bench.requests("PATCH").map { $0.request.header("content-digest") } == [nil])
        }
    }
}
