import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// The rules for every destination, as far as each server allows.
@Suite(.timeLimit(.minutes(10)))
struct WebDAVConformanceTests {
    typealias Kind = WebDAVServer.Kind

    @Test(arguments: Kind.allCases)
    func `files of edge sizes arrive, and nothing else is left`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            try await bench.conformance().edgeSizesArrive()
            #expect(bench.names(in: "edge").count == 6)
        }
    }

    @Test(arguments: [Kind.nginx, .rclone, .apache])
    func `odd names arrive`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            try await bench.conformance().oddNamesArrive()
            #expect(bench.names().count == 11)
        }
    }

    /// WsgiDAV unescapes the Destination header before it parses it, so it takes `?` and `#` for the path's end.
    @Test func `odd names arrive, and one that the server cuts short is told`() async throws {
        try await WebDAVBench.with(.wsgidav) { bench in
            for name in [
                "with space", "a+b", "100%", "%41", "Grüße-日本語", "-leading", "a&b=c", "'quote\"", ".hidden", "d/e/f",
            ] {
                let bytes = Array(name.utf8)
                try await bench.conformance().carry(bench.conformance().job(bytes, key: name))
                #expect(bench.stored(name) == bytes, "\(name)")
            }
            let job = try bench.job(key: "what? now")
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .rejected && error?.retry == .never)
            #expect(bench.stored("what") == nil, "nothing was put under a name that is not the job's")
        }
    }

    @Test(arguments: Kind.allCases)
    func `the last of two wins`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { try await $0.conformance().theLastOfTwoWins() }
    }

    /// Bypasses the proxy, as fifty workers or as one: rclone answers 423 to several clients that make the same folder.
    private func conformance(_ bench: WebDAVBench, asOneWorker: Bool) throws -> DestinationConformance {
        var conformance = bench.conformance(isDirect: true)
        guard asOneWorker else { return conformance }
        let destination = try conformance.destination()
        conformance.destination = { destination }
        return conformance
    }

    @Test(arguments: Kind.allCases)
    func `many at once arrive`(kind: Kind) async throws {
        let server =
            kind == .rclone
            ? try await WebDAVServer.start(kind, keepsListings: true) : try await WebDAVServer.shared(kind)
        try await WebDAVBench.with(server) { bench in
            try await conformance(bench, asOneWorker: kind == .rclone).manyAtOnceArrive()
            #expect(bench.names(in: "many").count == 50)
        }
    }

    @Test(arguments: Kind.allCases)
    func `objects are read back`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            try await bench.conformance().objectsAreReadBack()
            try await bench.conformance().readingStopsWhenItIsToldTo()
        }
    }

    @Test(arguments: Kind.allCases)
    func `jobs read from it`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            try await OriginConformance(
                conformance: bench.conformance(),
                put: { try bench.server.put($1, at: "\(bench.folder)/\($0)") },
                remove: { try bench.server.remove("\(bench.folder)/\($0)") }
            ).allRules()
        }
    }

    @Test(arguments: Kind.allCases)
    func `conditions hold`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            try await bench.conformance().conditionsHold()
            // An object that the worker has not seen is not replaced either.
            let job = try bench.job(key: "nothing")
            let error = await #expect(throws: UploadError.self) {
                try await bench.conformance().carry(job, condition: .unchanged(etag: "\"gone\""))
            }
            #expect(error?.code == .preconditionFailed)
            #expect(bench.stored("nothing") == nil)
        }
    }

    @Test(arguments: [Kind.wsgidav, .apache])
    func `probes tell whose object it is`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            try await bench.conformance().probesTellWhoseObjectItIs()
            let job = try bench.job()
            let completed = try await bench.conformance().carry(job)
            guard case .complete(let found) = try await bench.destination().probe(job, state: nil) else {
                Issue.record("the job's own object is not recognised")
                return
            }
            #expect(found.object.withPlainTag == completed.object.withPlainTag)
        }
    }

    @Test(arguments: [Kind.nginx, .rclone])
    func `where no server says whose an object is, it counts as something else`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            let job = try bench.job()
            #expect(try await bench.destination().probe(job, state: nil) == .nothing)
            let completed = try await bench.conformance().carry(job)
            guard case .other(let object, isNewer: false) = try await bench.destination().probe(job, state: nil) else {
                Issue.record("another client's object could be taken for the job's")
                return
            }
            #expect(object.etag == completed.object.etag && object.size == job.size)
        }
    }

    @Test(arguments: Kind.allCases)
    func `fifty jobs make the same missing folders at once`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            let conformance = try conformance(bench, asOneWorker: kind == .rclone)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        try await conformance.carry(
                            conformance.job([UInt8(number)], key: "a/b c/ü/d/e\(number % 5)/\(number)"))
                    }
                }
                try await group.waitForAll()
            }
            for number in 0..<50 { #expect(bench.stored("a/b c/ü/d/e\(number % 5)/\(number)") == [UInt8(number)]) }
        }
    }

    @Test func `one worker asks for a folder once, and again when it has vanished`() async throws {
        try await WebDAVBench.with(.wsgidav) { bench in
            let destination = try bench.destination()
            var conformance = bench.conformance()
            conformance.destination = { destination }
            for number in 0..<3 { try await conformance.carry(bench.job(10, key: "x/y/\(number)")) }
            #expect(bench.methods.filter { $0 == "MKCOL" }.count == 3, "of x/y twice, of x once")
            try bench.server.remove("\(bench.folder)/x")
            let job = try bench.job(10, key: "x/y/last")
            let session = try await destination.open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) { try await bench.send(job, to: session) }
            #expect(error?.response?.status == 409 && error?.retry == .afterBackoff)
            try await bench.send(job, to: session)
            _ = try await session.complete(.none)
            #expect(bench.stored("x/y/last")?.count == 10)
        }
    }

    @Test(arguments: Kind.allCases)
    func `names as long as a file's may be arrive, longer ones are refused before a byte is sent`(
        kind: Kind
    ) async throws {
        try await WebDAVBench.with(kind) { bench in
            let name = String(repeating: "ü", count: 127) + "x"
            try await bench.conformance().carry(bench.job(10, key: name))
            #expect(bench.names() == [name])
            bench.proxy.forget()
            for key in [name + "x", "a//b", "../x", "", "x/", ".x.longshore-\(JobID()).part"] {
                let error = await #expect(throws: UploadError.self) {
                    try await bench.destination().open(bench.job(10, key: key), resuming: nil)
                }
                #expect(error?.code == .rejected, "\(key)")
            }
            #expect(bench.proxy.requests.isEmpty)
        }
    }

    @Test func `bodies go out with their length and type, and nothing is said but what is needed`() async throws {
        try await WebDAVBench.with(.apache) { bench in
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            #expect(try !bench.destination().canYield(job))
            #expect(session.state == nil)
            try await bench.send(job, to: session)
            let completed = try await session.complete(.none)
            #expect(bench.methods == ["PUT", "PROPFIND", "PROPPATCH", "MOVE", "PROPFIND"])
            let put = try #require(bench.proxy.requests.first)
            #expect(put.request.header("content-length") == String(job.size))
            #expect(put.request.header("content-type") == "text/plain")
            #expect(completed.object.location == bench.configuration.url + "file")
            #expect(completed.object.digests == job.digests)
            #expect(completed.response?.status == 201)
            #expect(try await session.complete(.none) == completed, "completing twice is safe")
        }
    }
}
