import AsyncHTTPClient
import Foundation
import ResumableTesting
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Servers without resumable uploads, or without the version that was tried.
@Suite(.timeLimit(.minutes(10)))
struct ResumableFallbackTests {
    private static let part = ResumableBench.partBytes

    private struct Plain: ResumableServer {
        let nginx: NginxServer
        var port: Int { nginx.port }
        func stored(_ path: String) -> [UInt8]? { nginx.stored("files/" + path) }
    }

    @Test func `nginx gets plain uploads, and never an empty file`() async throws {
        try await ResumableBench.with(Plain(nginx: try await NginxServer())) { bench in
            let destination = try bench.destination()
            let job = try bench.job(parts: 2.5)
            #expect(destination.canYield(job), "the server has not been asked yet")
            let session = try await destination.open(job, resuming: nil)
            #expect(session.state == nil)
            #expect(session.plan.count == 1)
            #expect(!destination.canYield(job))
            try await bench.send(of: job, to: session)
            let completed = try await session.complete(.none)
            #expect(completed.object.location == bench.configuration.url + "file")
            #expect(bench.server.stored("file") == DestinationConformance.bytes(Int(job.size)))
            _ = try await destination.open(job, resuming: nil)
            #expect(bench.proxy.requests.map(\.method) == ["OPTIONS", "PUT"], "asked once, and sent once")
            #expect(bench.requests("PUT").first?.request.header("upload-complete") == nil)
            #expect(bench.requests("PUT").first?.bodyBytes == Int(job.size))
        }
    }

    @Test func `one that refuses the newest versions is asked for older ones, and one that speaks tus is called so`()
        async throws
    {
        var behaviour = DraftServer.Behaviour(interop: 6, limit: "max-size=100000000", acceptsPatch: false)
        behaviour.refusesOthers = true
        try await ResumableBench.with(try DraftServer(behaviour)) { bench in
            let destination = try bench.destination()
            for number in 1...2 {
                let job = try bench.job(parts: 2.5, key: "file-\(number)")
                let session = try await destination.open(job, resuming: nil)
                #expect(session.plan.count == 3)
                try await bench.send(of: job, to: session)
            }
            let asked = bench.requests("OPTIONS").map { $0.request.header("upload-draft-interop-version") }
            #expect(asked == ["8", "6"], "once for the destination")
        }
        behaviour.interop = 99
        try await ResumableBench.with(try DraftServer(behaviour)) { bench in
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(bench.job(parts: 2), resuming: nil)
            }
            #expect(error?.code == .misconfigured)
            #expect(error?.message.contains("driver to tus") == true)
            #expect(bench.proxy.requests.map(\.method) == Array(repeating: "OPTIONS", count: 4), "nothing was created")
        }
    }

    @Test(arguments: [404, 410])
    func `an answer to OPTIONS that is another page is not remembered`(status: Int) async throws {
        try await ResumableBench.with(try DraftServer(DraftServer.Behaviour())) { bench in
            let destination = try bench.destination()
            bench.proxy.setRule { $0.method == "OPTIONS" ? .answer(status: status) : .forward }
            #expect(try await destination.open(bench.job(parts: 2), resuming: nil).state == nil)
            bench.proxy.setRule { _ in .forward }
            #expect(try await destination.open(bench.job(parts: 2), resuming: nil).plan.count == 2)
        }
    }

    @Test func `nginx takes files of all edge sizes, odd names, and many at once`() async throws {
        try await ResumableBench.with(Plain(nginx: try await NginxServer())) { bench in
            try await bench.conformance().edgeSizesArrive()
            try await bench.conformance().oddNamesArrive()
            try await bench.conformance().manyAtOnceArrive()
        }
    }

    @Test func `a plain upload that was cut off goes up again from its start`() async throws {
        try await ResumableBench.with(Plain(nginx: try await NginxServer())) { bench in
            let job = try bench.job(parts: 3)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { _ in .cutAfterRequestBytes(700_000) }
            let error = await #expect(throws: UploadError.self) { try await bench.send(of: job, to: session) }
            #expect(error?.code == .networkFailure)
            #expect(error?.retry == .afterBackoff)
            #expect(bench.server.stored("file") == nil)
            bench.proxy.setRule { _ in .forward }
            try await bench.send(of: job, to: session)
            _ = try await session.complete(.none)
            #expect(bench.server.stored("file") == DestinationConformance.bytes(Int(job.size)))
        }
    }

    /// From draft -05 on servers announce themselves; the header tells the version, or which versions to try.
    @Test(arguments: [
        (8, true, nil, ["8"]), (8, false, "min-size=0", ["8"]), (7, false, "max-age=60", ["8", "7"]),
        (6, false, "expires=60", ["6"]), (6, false, "min-size=0", ["8", "7", "6"]),
    ])
    func `what a server announces decides which versions are tried`(
        interop: Int, acceptsPatch: Bool, limit: String?, tried: [String]
    ) async throws {
        var behaviour = DraftServer.Behaviour()
        behaviour.interop = interop
        behaviour.acceptsPatch = acceptsPatch
        behaviour.limit = limit
        let server = try DraftServer(behaviour)
        try await ResumableBench.with(server) { bench in
            let destination = try bench.destination()
            let job = try bench.job(parts: 2.5)
            for _ in 1...2 {
                let session = try await destination.open(job, resuming: nil)
                #expect(session.state?.payload["interop"]?.integer == Int64(interop))
                try await bench.send(of: job, to: session)
                _ = try await session.complete(.none)
                #expect(server.stored("file") == DestinationConformance.bytes(Int(job.size)))
            }
            let versions = bench.requests("PUT").map { $0.request.header("upload-draft-interop-version") }
            #expect(versions == tried + [String(interop)], "and the right one first the next time")
        }
    }

    @Test func `a server that announces what it then does not do gets the whole file in one request`() async throws {
        var behaviour = DraftServer.Behaviour()
        behaviour.interop = 99
        let server = try DraftServer(behaviour)
        try await ResumableBench.with(server) { bench in
            let destination = try bench.destination()
            let job = try bench.job(parts: 2)
            let session = try await destination.open(job, resuming: nil)
            #expect(session.state == nil)
            #expect(!destination.canYield(job))
            try await bench.send(of: job, to: session)
            _ = try await session.complete(.none)
            #expect(server.stored("file") == DestinationConformance.bytes(Int(job.size)))
        }
    }

    @Test func `a version that is configured is not guessed at, and refused where the server does not have it`()
        async throws
    {
        var behaviour = DraftServer.Behaviour()
        behaviour.interop = 7
        behaviour.headers = ["Location: /files/somewhere"]
        try await ResumableBench.with(DraftServer(behaviour)) { bench in
            try await bench.conformance(bench.configuration(.v7)).carry(bench.job(parts: 1.5))
            #expect(bench.requests("OPTIONS").isEmpty)
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination(bench.configuration(.v8)).open(bench.job(parts: 1), resuming: nil)
            }
            #expect(error?.code == .rejected)
            #expect(error?.message.contains("interop") == true)
        }
        try await ResumableBench.with(try await AppleServer()) { bench in
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination(bench.configuration(.v8)).open(bench.job(parts: 1), resuming: nil)
            }
            #expect(error?.code == .rejected)
        }
    }

    @Test func `a server that has no time to say what it speaks is asked again`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            let destination = try bench.destination()
            bench.proxy.setRule { _ in .answer(status: 503, headers: [("Retry-After", "9")]) }
            let error = await #expect(throws: UploadError.self) {
                try await destination.open(bench.job(parts: 1), resuming: nil)
            }
            #expect(error?.code == .serverFailure)
            #expect(error?.retry == .after(seconds: 9))
            bench.proxy.setRule { _ in .forward }
            #expect(try await destination.open(bench.job(parts: 1), resuming: nil).state != nil)
        }
    }

    @Test func `the server's limits shape the parts`() async throws {
        var behaviour = DraftServer.Behaviour()
        behaviour.limit = "max-append-size=300000, min-append-size=200000, max-age=3600, new=?1"
        let server = try DraftServer(behaviour)
        try await ResumableBench.with(server) { bench in
            let job = try bench.conformance().job(DestinationConformance.bytes(700_000), key: "file")
            let session = try await bench.destination().open(job, resuming: nil)
            #expect(session.plan.partSize == 300_000)
            let state = try #require(session.state)
            let expiry = try #require(try ResumableState(state).expiry)
            #expect(abs(expiry.timeIntervalSinceNow - 3600) < 600)
            // Cut 100,000 bytes before the part's end: the rest is less than the server takes in one request.
            bench.proxy.setRule { $0.method == "PATCH" ? .cutAfterRequestBytes(200_000) : .forward }
            await #expect(throws: UploadError.self) { try await bench.send(1, of: job, to: session) }
            bench.proxy.setRule { _ in .forward }
            var offset = 0
            try await eventually("the server has counted what came") {
                offset = try await bench.offset(of: session)
                return offset > 0
            }
            bench.proxy.forget()
            let second = try await bench.destination().open(job, resuming: state)
            let source = try await bench.source(of: job)
            for part in second.plan.parts { try await second.upload(part, from: source) { _ in } }
            _ = try await second.complete(.none)
            #expect(server.stored("file") == DestinationConformance.bytes(700_000))
            let sizes = bench.requests("PATCH").map(\.bodyBytes)
            #expect(sizes.allSatisfy { $0 <= 300_000 } && sizes.dropLast().allSatisfy { $0 >= 200_000 }, "\(sizes)")
        }
    }

    @Test
    func `a file beyond the server's limits is refused before a byte is sent, one below them goes in one request`()
        async throws
    {
        var behaviour = DraftServer.Behaviour()
        behaviour.limit = "max-size=1000, min-size=500"
        let server = try DraftServer(behaviour)
        try await ResumableBench.with(server) { bench in
            // The limits are known from OPTIONS, or from the created upload, which is then removed.
            for interop in [nil, ResumableInterop.v8] {
                bench.proxy.forget()
                let destination = try bench.destination(bench.configuration(interop))
                let error = await #expect(throws: UploadError.self) {
                    try await destination.open(bench.job(parts: 1), resuming: nil)
                }
                #expect(error?.code == .rejected)
                #expect(error?.message.contains("1000") == true)
                #expect(bench.proxy.requests.map(\.method) == (interop == nil ? ["OPTIONS"] : ["PUT", "DELETE"]))
                #expect(server.uploads.isEmpty)
            }
            bench.proxy.forget()
            try await bench.conformance().carry(bench.conformance().job([1, 2, 3], key: "small"))
            #expect(bench.proxy.requests.map(\.method) == ["OPTIONS", "PUT"])
            #expect(server.stored("small") == [1, 2, 3])
        }
    }

    @Test func `an upload whose time is over is not asked for`() async throws {
        try await ResumableBench.with(DraftServer()) { bench in
            let job = try bench.job(parts: 2)
            let session = try await bench.destination().open(job, resuming: nil)
            var known = try ResumableState(try #require(session.state))
            known.expiry = Date() - 60
            bench.proxy.forget()
            #expect(try await bench.destination().probe(job, state: known.uploadState) == .nothing)
            try await bench.destination().discard(known.uploadState, of: job)
            let error = await #expect(throws: UploadError.self) {
                try await bench.destination().open(job, resuming: known.uploadState)
            }
            #expect(error?.code == .sessionExpired)
            #expect(bench.proxy.requests.isEmpty)
        }
    }
}
