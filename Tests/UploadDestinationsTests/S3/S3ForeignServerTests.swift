import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Deviations of servers other than Amazon's: OpenStack Swift, with scripted answers of Ceph RGW 18 and of proxies before servers.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3ForeignServerTests {
    typealias Rule = HTTPFaultProxy.Rule

    private func run(
        conditions: S3Configuration.Conditions? = nil,
        _ body: (S3Bench, HTTPFaultProxy, S3Destination) async throws -> Void
    ) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            var configuration = bench.configuration(by: server.endpoint.through(port: proxy.port))
            configuration.conditions = conditions
            try await body(bench, proxy, try bench.destination(configuration))
            proxy.stop()
        }
    }

    private static func isCompletion(_ request: HTTPFaultProxy.Request) -> Bool {
        request.method == "POST" && request.query["uploadId"] != nil
    }

    /// Ceph RGW 18 answers 412 to every `If-Match` with quotes, and ignores `If-None-Match` in CompleteMultipartUpload.
    private static let rgw: Rule = { request in
        if request.header("if-match")?.contains("\"") == true {
            return .answer(status: 412, body: "<Error><Code>PreconditionFailed</Code></Error>")
        }
        guard isCompletion(request) else { return .forward }
        return .rewriteRequest { headers in headers.removeAll { $0.name.lowercased() == "if-none-match" } }
    }

    private func write(
        _ bench: S3Bench, _ destination: S3Destination, _ job: UploadJob, _ condition: WriteCondition
    ) async throws -> CompletedUpload {
        let session = try await destination.open(job, resuming: nil)
        session.prepare(for: condition)
        try await bench.conformance().send(of: job, to: session)
        return try await session.complete(condition)
    }

    // MARK: Conditions

    @Test(arguments: [3, 2 * S3Bench.partBytes], [S3Configuration.Conditions?.none, .some(.none), .put])
    func `on a server that does not obey conditions nothing is replaced that was not seen`(
        size: Int, conditions: S3Configuration.Conditions?
    ) async throws {
        try await run(conditions: conditions) { bench, proxy, destination in
            proxy.setRule(Self.rgw)
            let old = Array("another's".utf8)
            let etag = try await bench.observer.put(bench.bucket, "seen", old)
            let job = try bench.job(DestinationConformance.bytes(size), key: "seen")
            let refused = await #expect(throws: UploadError.self) {
                _ = try await write(bench, destination, job, .absent)
            }
            #expect(refused?.code == .preconditionFailed)
            let changed = await #expect(throws: UploadError.self) {
                _ = try await write(bench, destination, job, .unchanged(etag: "\"0123\""))
            }
            #expect(changed?.code == .preconditionFailed)
            #expect(try await bench.observer.get(bench.bucket, "seen") == old)
            // With `put` the driver trusts the server to obey conditions in PutObject, which this server does not do.
            guard conditions != .put || size > S3Bench.partBytes else { return }
            _ = try await write(bench, destination, job, .unchanged(etag: etag))
            #expect(try await bench.observer.head(bench.bucket, "seen")?.size == size)
            _ = try await write(bench, destination, bench.job([1, 2], key: "new"), .absent)
            #expect(try await bench.observer.get(bench.bucket, "new") == [1, 2])
        }
    }

    @Test(arguments: [S3Configuration.Conditions?.none, .some(.none), .put, .all])
    func `a condition goes to the server where it is of use`(conditions: S3Configuration.Conditions?) async throws {
        try await run(conditions: conditions) { bench, proxy, destination in
            for (size, kind) in [(3, "PUT"), (2 * S3Bench.partBytes, "POST")] {
                let job = try bench.job(DestinationConformance.bytes(size), key: "new \(size)")
                proxy.forget()
                _ = try await write(bench, destination, job, .absent)
                let isSent = conditions == nil || conditions == .all || (conditions == .put && kind == "PUT")
                let sent = proxy.requests.contains { $0.request.header("if-none-match") == "*" && $0.method == kind }
                #expect(sent == isSent, "\(size)")
                // The driver looks before and after the write where the server is not known to obey.
                let isObeyed = conditions == .all || (conditions == .put && kind == "PUT")
                let looks = proxy.requests.filter { $0.method == "HEAD" }.count
                #expect(isObeyed ? looks < 2 : looks == 2, "\(size): \(looks)")
            }
        }
    }

    @Test(arguments: [3, 2 * S3Bench.partBytes])
    func `what another job wrote at the same time is seen afterwards`(size: Int) async throws {
        try await run { bench, proxy, destination in
            let isWritten = Atomic(false)
            proxy.setRule { request in
                if request.method == "PUT" && request.partNumber == nil || Self.isCompletion(request) {
                    isWritten.store(true, ordering: .relaxed)
                }
                guard request.method == "HEAD", isWritten.load(ordering: .relaxed) else { return .forward }
                return .rewriteAnswer { $0.setHeader(S3Target.jobHeader, JobID().rawValue) }
            }
            let job = try bench.job(DestinationConformance.bytes(size), key: "raced")
            let error = await #expect(throws: UploadError.self) {
                _ = try await write(bench, destination, job, .absent)
            }
            #expect(error?.code == .preconditionFailed)
            #expect(error?.message.contains("another job wrote to") == true, "\(error as Any)")
        }
    }

    /// The server has confirmed the write: a failed look afterwards does not undo that.
    @Test(arguments: [3, 2 * S3Bench.partBytes])
    func `a look afterwards that fails is none`(size: Int) async throws {
        try await run { bench, proxy, destination in
            let isWritten = Atomic(false)
            proxy.setRule { request in
                if request.method == "PUT" && request.partNumber == nil || Self.isCompletion(request) {
                    isWritten.store(true, ordering: .relaxed)
                }
                return request.method == "HEAD" && isWritten.load(ordering: .relaxed) ? .cut : .forward
            }
            let job = try bench.job(DestinationConformance.bytes(size), key: "unseen")
            let upload = try await write(bench, destination, job, .absent)
            #expect(upload.object.size == Int64(size))
        }
    }

    @Test func `a server that says that it has no conditions is looked at right before the write`() async throws {
        try await run { bench, proxy, destination in
            proxy.setRule { $0.header("if-none-match") != nil ? .answer(status: 501) : .forward }
            let job = try bench.job([1, 2], key: "none")
            let session = try await destination.open(job, resuming: nil)
            session.prepare(for: .absent)
            try await bench.conformance().send(of: job, to: session, repeats: true)
            #expect(proxy.requests.map(\.method) == ["HEAD", "PUT", "HEAD", "PUT", "HEAD"])
            #expect(try await bench.observer.get(bench.bucket, "none") == [1, 2])
        }
    }

    @Test func `who may not look may not rely on conditions that the server is not known to obey`() async throws {
        try await run { bench, proxy, destination in
            proxy.setRule { request in
                guard ["HEAD", "GET"].contains(request.method) else { return .forward }
                return .answer(
                    status: 403, body: request.method == "HEAD" ? "" : "<Error><Code>AccessDenied</Code></Error>")
            }
            var keeping = try bench.job([1], key: "unseen")
            keeping.ifExists = .skip
            let error = await #expect(throws: UploadError.self) {
                _ = try await write(bench, destination, keeping, .absent)
            }
            #expect(error?.code == .accessDenied)
            #expect(error?.message.contains("conditions") == true, "\(error as Any)")
            // A job that keeps an existing object fails before the file is sent.
            let early = await #expect(throws: UploadError.self) {
                _ = try await destination.probe(keeping, state: nil)
            }
            #expect(early?.code == .accessDenied)
            #expect(try await bench.observer.get(bench.bucket, "unseen") == nil)
        }
    }

    @Test(arguments: [3, 2 * S3Bench.partBytes])
    func `what replaces whatever lies there need not see it`(size: Int) async throws {
        try await run(conditions: S3Configuration.Conditions.none) { bench, proxy, destination in
            proxy.setRule { request in
                guard ["HEAD", "GET"].contains(request.method) else { return .forward }
                return .answer(
                    status: 403, body: request.method == "HEAD" ? "" : "<Error><Code>AccessDenied</Code></Error>")
            }
            _ = try await bench.observer.put(bench.bucket, "unseen", [7])
            let job = try bench.job(DestinationConformance.bytes(size), key: "unseen")
            #expect(try await destination.probe(job, state: nil) == .unknowable)
            // The driver has not seen the object, and does not look for a new upload.
            _ = try await write(bench, destination, job, .absent)
            #expect(try await bench.observer.head(bench.bucket, "unseen")?.size == size)
        }
    }

    // MARK: Successes that are none

    private static let xhtml = "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body>In</body></html>"
    private static let page = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Welcome</body></html>"

    @Test(arguments: ["PUT", "part", "Create", "Complete", "list"], [page, xhtml, "", "<Result/>"])
    func `a success that lacks what S3 says is not believed`(request kind: String, body: String) async throws {
        try await run { bench, proxy, destination in
            let size = kind == "PUT" ? 3 : 2 * S3Bench.partBytes
            let job = try bench.job(DestinationConformance.bytes(size), key: "polite")
            let begun = kind == "list" ? try await destination.open(job, resuming: nil).state : nil
            proxy.setRule { request in
                let isMeant =
                    switch kind {
                    case "part": request.partNumber != nil
                    case "Create": request.query["uploads"] != nil
                    case "Complete": Self.isCompletion(request)
                    case "list": request.method == "GET"
                    default: request.method == kind
                    }
                return isMeant ? .answer(status: 200, body: body) : .forward
            }
            let error = await #expect(throws: UploadError.self) {
                if let begun { _ = try await destination.open(job, resuming: begun) }
                _ = try await write(bench, destination, job, .none)
            }
            #expect(error?.code == .invalidResponse && error?.retry != .never, "\(error as Any)")
            // Before a file is sent again, the driver finds out what became of it.
            if kind == "PUT" { #expect(error?.retry == .after(seconds: 5)) }
            #expect(error?.message.contains(body.prefix(9)) == true || body.isEmpty, "\(error as Any)")
            proxy.setRule { _ in .forward }
            _ = try await write(bench, destination, job, .none)
            #expect(try await bench.observer.head(bench.bucket, "polite")?.size == size)
        }
    }

    @Test func `HEAD without an ETag is not believed`() async throws {
        try await run { bench, proxy, destination in
            proxy.setRule { $0.method == "HEAD" ? .answer(status: 200) : .forward }
            let error = await #expect(throws: UploadError.self) {
                _ = try await destination.probe(bench.job([1], key: "polite"), state: nil)
            }
            #expect(error?.code == .invalidResponse && error?.message.contains("without an ETag") == true)
        }
    }

    @Test func `a page that has an ETag is no object`() async throws {
        try await run { bench, proxy, destination in
            proxy.setRule { request in
                request.method == "PUT"
                    ? .answer(status: 200, headers: [("ETag", "\"5f\"")], body: Self.page) : .forward
            }
            let error = await #expect(throws: UploadError.self) {
                _ = try await write(bench, destination, bench.job([1], key: "page"), .none)
            }
            #expect(error?.code == .invalidResponse && error?.message.contains("<!DOCTYPE html>") == true)
        }
    }

    // MARK: Redirects

    /// A 307 to another address of the same server.
    private func redirected(
        _ body: (S3Bench, _ own: HTTPFaultProxy, _ other: HTTPFaultProxy, S3Destination) async throws -> Void
    ) async throws {
        try await run { bench, own, destination in
            let other = try HTTPFaultProxy(to: try await OpenStackSwiftServer.shared().port)
            // Sent before the body, as by a server that reads only the head.
            own.setRule { [port = other.port] request in
                .answer(
                    status: 307, headers: [("Location", "http://127.0.0.1:\(port)\(request.target)")],
                    body: request.method == "HEAD" ? "" : "<Error><Code>TemporaryRedirect</Code></Error>",
                    drains: request.method == "HEAD")
            }
            try await body(bench, own, other, destination)
            other.stop()
        }
    }

    @Test(arguments: [3, S3Bench.partBytes, 2 * S3Bench.partBytes])
    func `a redirect is followed with the body, and the next request goes there at once`(size: Int) async throws {
        try await redirected { bench, own, other, destination in
            let job = try bench.job(DestinationConformance.bytes(size), key: "led")
            _ = try await write(bench, destination, job, .none)
            #expect(try await bench.observer.head(bench.bucket, "led")?.size == size)
            #expect(own.requests.count == 1)
            let before = other.requests.count
            _ = try await write(bench, destination, bench.job([1], key: "again"), .none)
            #expect(own.requests.count == 1 && other.requests.count == before + 1)
            // A missing object is no failure of the host.
            #expect(try await destination.probe(bench.job([1], key: "missing"), state: nil) == .nothing)
            _ = try await write(bench, destination, bench.job([1], key: "third"), .none)
            #expect(own.requests.count == 1)
        }
    }

    /// - Parameter answer: status 0 stands for no answer.
    @Test(arguments: [(0, ""), (500, ""), (200, page), (404, "<Error><Code>NoSuchBucket</Code></Error>")])
    func `a redirect that leads nowhere any more is forgotten at the first failure`(
        status: Int, answer: String
    ) async throws {
        try await redirected { bench, own, other, destination in
            _ = try await write(bench, destination, bench.job([1], key: "led"), .none)
            other.setRule { _ in status == 0 ? .cut : .answer(status: status, body: answer) }
            own.setRule { _ in .forward }
            await #expect(throws: UploadError.self) {
                _ = try await write(bench, destination, bench.job([2], key: "led"), .none)
            }
            _ = try await write(bench, destination, bench.job([2], key: "led"), .none)
            #expect(try await bench.observer.get(bench.bucket, "led") == [2])
        }
    }

    @Test(arguments: [page, xhtml, "", "{}"])
    func `a redirect to what is no S3 is forgotten by requests of every kind`(answer: String) async throws {
        try await redirected { bench, own, other, destination in
            _ = try await write(bench, destination, bench.job([1], key: "led"), .none)
            other.setRule { _ in .answer(status: 200, body: answer) }
            own.setRule { _ in .forward }
            let job = try bench.job(DestinationConformance.bytes(2 * S3Bench.partBytes), key: "parts")
            let error = await #expect(throws: UploadError.self) { _ = try await destination.open(job, resuming: nil) }
            #expect(error?.code == .invalidResponse)
            _ = try await write(bench, destination, job, .none)
            #expect(try await bench.observer.head(bench.bucket, "parts")?.size == Int(job.size))
        }
    }

    // MARK: Object lock

    /// Swift has no locks and ignores the headers.
    @Test(arguments: [3, 2 * S3Bench.partBytes], [true, false])
    func `an object that was to be locked, and is not, is a failure`(size: Int, isLocked: Bool) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            var configuration = bench.configuration(by: server.endpoint.through(port: proxy.port))
            configuration.object.lockMode = .governance
            configuration.object.lockSeconds = 86_400
            proxy.setRule { request in
                guard isLocked, request.method == "HEAD" else { return .forward }
                return .rewriteAnswer { $0.setHeader("x-amz-object-lock-mode", "GOVERNANCE") }
            }
            let destination = try bench.destination(configuration)
            let job = try bench.job(DestinationConformance.bytes(size), key: "locked")
            guard isLocked else {
                for _ in 0..<2 {
                    let error = await #expect(throws: UploadError.self) {
                        _ = try await write(bench, destination, job, .none)
                    }
                    #expect(error?.code == .rejected && error?.retry == .never, "\(error as Any)")
                    #expect(error?.message.contains("without its object lock") == true)
                }
                // A later probe still reports that the object lacks its lock.
                let probed = try await destination.probe(job, state: nil)
                guard case .complete(let upload) = probed else { throw DidNotHappen("it lies there: \(probed)") }
                #expect(upload.flaw?.code == .rejected)
                proxy.stop()
                return
            }
            // Credentials that may not look cannot decide.
            proxy.setRule { request in
                request.method == "HEAD" ? .answer(status: 403) : .forward
            }
            let unseen = await #expect(throws: UploadError.self) { _ = try await write(bench, destination, job, .none) }
            #expect(unseen?.code == .rejected && unseen?.message.contains("cannot be seen") == true)
            proxy.setRule { request in
                guard request.method == "HEAD" else { return .forward }
                return .rewriteAnswer { $0.setHeader("x-amz-object-lock-mode", "GOVERNANCE") }
            }
            _ = try await write(bench, destination, job, .none)
            proxy.forget()
            _ = try await write(bench, destination, bench.job([1], key: "next"), .none)
            #expect(proxy.requests.map(\.method) == ["PUT"], "seen once is enough")
            proxy.stop()
        }
    }
}
