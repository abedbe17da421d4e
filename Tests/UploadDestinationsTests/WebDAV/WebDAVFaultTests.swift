import Foundation
import NIOHTTP1
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Faults between the worker and the server.
@Suite(.timeLimit(.minutes(10)))
struct WebDAVFaultTests {
    typealias Kind = WebDAVServer.Kind

    @Test(arguments: Kind.allCases)
    func `a lost answer to MOVE is resolved by looking`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            // The existing file has the same size as the job's, but other bytes.
            try await bench.conformance().carry(bench.job(seed: 7))
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            let state = try #require(session.state)
            bench.proxy.setRule { request in
                request.method == "MOVE" && request.header("overwrite") == "T" ? .forwardThenCut : .forward
            }
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .networkFailure)
            bench.proxy.setRule { _ in .forward }
            #expect(bench.stored("file") == DestinationConformance.bytes(100_000))

            // A second move finds no file to move, and removes nothing.
            let again = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(again?.code == .sessionExpired)
            #expect(bench.stored("file") == DestinationConformance.bytes(100_000), "it is still there")

            guard case .complete(let found) = try await bench.destination().probe(job, state: state) else {
                Issue.record("what was moved into place is not recognised")
                return
            }
            #expect(found.object.digests == job.digests && found.object.size == job.size)
            try await bench.destination().discard(state, of: job)
            #expect(bench.names() == ["file"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a lost answer to PUT costs no second one`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            let job = try bench.job(300_000)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { $0.method == "PUT" ? .forwardThenCut : .forward }
            let error = await #expect(throws: UploadError.self) { try await bench.send(job, to: session) }
            #expect(error?.code == .networkFailure && error?.retry == .afterBackoff)
            bench.proxy.setRule { _ in .forward }
            guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return }
            try await session.upload(session.plan.part(1), from: source) { _ in }
            _ = try await session.complete(.none)
            #expect(bench.methods.filter { $0 == "PUT" }.count == 1)
            #expect(bench.stored("file")?.count == 300_000)
            #expect(bench.names() == ["file"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `what is cut off replaces nothing, and what it left is replaced`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            let old = try bench.job(50, seed: 3)
            try await bench.conformance().carry(old)
            // More bytes than are sent again at once over a new connection.
            let job = try bench.job(8 << 20)
            let session = try await bench.destination().open(job, resuming: nil)
            bench.proxy.setRule { $0.method == "PUT" ? .cutAfterRequestBytes(5 << 20) : .forward }
            guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return }
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.plan.part(1), from: source) { _ in }
            }
            #expect(error?.code == .networkFailure && error?.retry == .afterBackoff, "\(error as Any)")
            let early = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(early?.code == .invalidResponse)
            #expect(bench.stored("file") == DestinationConformance.bytes(50, seed: 3))
            bench.proxy.setRule { _ in .forward }
            try await bench.untilUnlocked { try await bench.conformance().carry(job) }
            #expect(bench.stored("file") == DestinationConformance.bytes(8 << 20))
            #expect(bench.names() == ["file"])
        }
    }

    @Test(arguments: [Kind.rclone, .wsgidav])
    func `a file that has not arrived whole is never moved into place, whatever PUT was answered`(
        kind: Kind
    ) async throws {
        try await WebDAVBench.with(kind) { bench in
            let old = try bench.job(50, seed: 3)
            try await bench.conformance().carry(old)
            let job = try bench.job(3 << 20)
            let target = try WebDAVTarget(job, bench.configuration)
            bench.proxy.setRule { $0.method == "PUT" ? .cutAfterRequestBytes(1 << 20) : .forward }
            let first = try await bench.destination().open(job, resuming: nil)
            guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return }
            _ = await #expect(throws: UploadError.self) {
                try await first.upload(first.plan.part(1), from: source) { _ in }
            }
            // These servers keep the truncated file.
            try await eventually("what was cut off lies there") { bench.stored(target.temporaryName) != nil }
            bench.proxy.setRule { $0.method == "PUT" ? .answer(status: 201) : .forward }
            let error = await #expect(throws: UploadError.self) {
                try await first.upload(first.plan.part(1), from: source) { _ in }
            }
            #expect(error?.code == .invalidResponse && error?.retry == .afterBackoff)
            #expect(first.state == nil)
            #expect(!bench.methods.suffix(4).contains("MOVE"))
            #expect(bench.stored("file") == DestinationConformance.bytes(50, seed: 3))

            // Another worker sees the truncated file, and begins anew under the same name.
            bench.proxy.setRule { _ in .forward }
            guard case .partial(let state, beside: let object?) = try await bench.destination().probe(job, state: nil)
            else {
                Issue.record("what was cut off is not told")
                return
            }
            #expect(object.size == 50)
            let second = try await bench.destination().open(job, resuming: state)
            #expect(second.missing.count == 1 && second.state == nil)
            try await bench.untilUnlocked { try await bench.send(job, to: second) }
            _ = try await second.complete(.none)
            #expect(bench.stored("file") == DestinationConformance.bytes(3 << 20))
            #expect(bench.names() == ["file"])
        }
    }

    @Test(arguments: Kind.allCases)
    func `a folder under the object's name is told, and nothing in it is touched`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            try bench.server.makeFolder("\(bench.folder)/album")
            try bench.server.put([1, 2, 3], at: "\(bench.folder)/album/photo")
            let job = try bench.job(key: "album")
            for condition in [WriteCondition.none, .unchanged(etag: "\"x\"")] {
                let error = await #expect(throws: UploadError.self) {
                    try await bench.conformance().carry(job, condition: condition)
                }
                #expect(error?.code == .rejected && error?.retry == .never, "\(error as Any)")
                #expect(error?.message.contains("is a folder") == true)
            }
            #expect(bench.stored("album/photo") == [1, 2, 3])
        }
    }

    @Test(arguments: [Kind.wsgidav, .apache])
    func `a file that another client has locked is waited for`(kind: Kind) async throws {
        try await WebDAVBench.with(kind) { bench in
            try await bench.conformance().carry(bench.job(50, seed: 3))
            let lock = """
                <?xml version="1.0"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>\
                <D:locktype><D:write/></D:locktype><D:owner>an editor</D:owner></D:lockinfo>
                """
            let locked = try await bench.ask(.LOCK, "file", [("timeout", "Second-600")], body: lock)
            let token = try #require(locked.headers.first(name: "lock-token"))
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .serverFailure && error?.retry == .afterBackoff, "\(error as Any)")
            #expect(error?.response?.status == 423)
            #expect(error?.message.contains("locked") == true)
            #expect(bench.stored("file") == DestinationConformance.bytes(50, seed: 3))
            #expect(try await bench.ask(.UNLOCK, "file", [("lock-token", token)]).status == 204)
            // Another worker only has to move the file.
            let second = try await bench.destination().open(job, resuming: session.state)
            #expect(second.missing.isEmpty)
            _ = try await second.complete(.none)
            #expect(bench.stored("file") == DestinationConformance.bytes(100_000))
            #expect(bench.methods.filter { $0 == "PUT" }.count == 2)
        }
    }

    /// A proxy that rewrites paths, or a cache, may return the answer to an earlier question.
    @Test func `what lies elsewhere is not taken for the object`() async throws {
        try await WebDAVBench.with(.apache) { bench in
            try await bench.conformance().carry(bench.job(key: "d/other"))
            let job = try bench.job(key: "d/file")
            bench.proxy.setRule { request in
                guard request.method == "PROPFIND" else { return .forward }
                return .rewriteAnswer { answer in
                    let text = String(decoding: answer.body, as: UTF8.self).replacing("/d/file<", with: "/d/other<")
                    answer.body = Array(text.utf8)
                    answer.setHeader("content-length", String(answer.body.count))
                }
            }
            try await bench.conformance(isDirect: true).carry(job)
            let error = await #expect(throws: UploadError.self) {
                _ = try await bench.destination().probe(job, state: nil)
            }
            #expect(error?.code == .invalidResponse && error?.message.contains("/d/other") == true)
            // The path of the folder on the server itself does not matter.
            bench.proxy.setRule { request in
                .rewriteAnswer { answer in
                    let text = String(decoding: answer.body, as: UTF8.self)
                        .replacing("<D:href>/", with: "<D:href>http://inside.example/dav/")
                    answer.body = Array(text.utf8)
                    answer.setHeader("content-length", String(answer.body.count))
                }
            }
            guard case .complete = try await bench.destination().probe(job, state: nil) else {
                Issue.record("the job's own object is not recognised")
                return
            }
        }
    }

    @Test(arguments: [Kind.rclone, .wsgidav])
    func `a wrong password is told apart, and shown nowhere`(kind: Kind) async throws {
        let server = try await WebDAVServer.start(kind, password: "swordfish-1234")
        try await WebDAVBench.with(server) { bench in
            func authorization(_ password: String) -> [String: String] {
                ["Authorization": "Basic " + Data("tester:\(password)".utf8).base64EncodedString()]
            }
            var configuration = bench.configuration
            configuration.headers = authorization("swordfish-1234")
            try await bench.conformance(configuration).carry(bench.job())
            configuration.headers = authorization("jellyfish-1234")
            let destination = try bench.destination(configuration)
            let job = try bench.job(key: "other")
            let session = try await destination.open(job, resuming: nil)
            let put = await #expect(throws: UploadError.self) { try await bench.send(job, to: session) }
            let probe = await #expect(throws: UploadError.self) { try await destination.probe(job, state: nil) }
            for error in [put, probe] {
                #expect(error?.code == .notAuthenticated && error?.retry == .never, "\(error as Any)")
                let shown = "\(error as Any) \(error?.response as Any)"
                #expect(!shown.contains("jellyfish"))
            }
            #expect(bench.stored("other") == nil)
        }
        try await server.stop()
    }

    @Test func `silence ends in a failure that is worth a retry`() async throws {
        try await WebDAVBench.with(.nginx) { bench in
            var impatient = bench.configuration
            impatient.times.firstByteSeconds = 1
            impatient.times.stallSeconds = 1
            for action in [HTTPFaultProxy.Action.stallAnswer, .stallRequest(afterBytes: 100_000)] {
                let job = try bench.job(4 << 20)
                let session = try await bench.destination(impatient).open(job, resuming: nil)
                bench.proxy.setRule { $0.method == "PUT" ? action : .forward }
                guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else { return }
                let error = await #expect(throws: UploadError.self) {
                    try await session.upload(session.plan.part(1), from: source) { _ in }
                }
                #expect(error?.code == .networkFailure && error?.retry == .afterBackoff)
                bench.proxy.setRule { _ in .forward }
            }
        }
    }

    @Test func `a source that has changed goes through untouched, and is not stored`() async throws {
        try await WebDAVBench.with(.nginx) { bench in
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            let source = CountedSource(size: job.size, changesAt: job.size / 2, bufferBytes: Int(job.size / 4))
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.plan.part(1), from: source) { _ in }
            }
            #expect(error?.code == .sourceChanged)
            #expect(bench.names() == [])
        }
    }
}
