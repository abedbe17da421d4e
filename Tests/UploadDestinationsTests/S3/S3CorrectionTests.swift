import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Corrections that the driver learns from a refusal, so that the next request succeeds.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3CorrectionTests {
    private func run(_ body: (S3Bench, HTTPFaultProxy, S3Configuration) async throws -> Void) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            try await body(bench, proxy, bench.configuration(by: server.endpoint.through(port: proxy.port)))
            proxy.stop()
        }
    }

    private func carry(_ bench: S3Bench, _ destination: S3Destination, _ job: UploadJob) async throws {
        let session = try await destination.open(job, resuming: nil)
        try await bench.conformance().send(of: job, to: session)
        _ = try await session.complete(.none)
    }

    @Test func `a clock that is an hour off is corrected from the server's Date`() async throws {
        try await run { bench, proxy, configuration in
            let destination = try bench.destination(configuration)
            let wrong = Date(timeIntervalSinceNow: 3600)
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "GMT")
            formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            #expect(destination.client.clock.learn(serverDate: formatter.string(from: wrong), signedAt: Date()))
            try await carry(bench, destination, bench.job([1, 2], key: "skewed"))
            #expect(proxy.requests.first?.status == 403)
            #expect(try await bench.observer.get(bench.bucket, "skewed") == [1, 2])
            #expect(abs(destination.client.clock.offsetSeconds) < 60)
            // A request without a body is corrected, too.
            #expect(destination.client.clock.learn(serverDate: formatter.string(from: wrong), signedAt: Date()))
            #expect(try await destination.probe(bench.job([1], key: "nothing"), state: nil) == .nothing)
        }
    }

    /// If the server turns out to lack conditional writes, the driver looks at the object instead.
    @Test(arguments: [(403, UploadError.Code.accessDenied), (500, .serverFailure), (404, nil)])
    func `what cannot be looked at is not written over, and says nothing of what lies there`(
        status: Int, code: UploadError.Code?
    ) async throws {
        try await run { bench, proxy, configuration in
            proxy.setRule { request in
                switch request.method {
                case "PUT" where request.header("if-none-match") != nil: .answer(status: 501)
                // After a refused HEAD, the driver asks for the reason by GET.
                case "HEAD", "GET": .answer(status: status)
                default: .forward
                }
            }
            var configuration = configuration
            configuration.conditions = .all
            let job = try bench.job([1, 2], key: "conditional")
            let session = try await bench.destination(configuration).open(job, resuming: nil)
            session.prepare(for: .absent)
            var error: UploadError?
            do {
                try await bench.conformance().send(of: job, to: session, repeats: code == nil)
            } catch let thrown as UploadError {
                error = thrown
            }
            #expect(error?.code == code)
            let isWritten = try await bench.observer.get(bench.bucket, "conditional") != nil
            #expect(isWritten == (code == nil))
            #expect(proxy.requests.filter { $0.method == "PUT" }.count == (code == nil ? 2 : 1))
        }
    }

    @Test func `a wrong region is corrected by what the server says`() async throws {
        try await run { bench, proxy, configuration in
            var configuration = configuration
            configuration.region = "eu-west-1"
            let destination = try bench.destination(configuration)
            try await carry(bench, destination, bench.job([1], key: "region"))
            #expect(try await bench.observer.get(bench.bucket, "region") == [1])
            let before = proxy.requests.count
            try await carry(bench, destination, bench.job([2], key: "region"))
            #expect(proxy.requests.count == before + 1, "it is learnt once")
        }
    }

    @Test func `a redirect to the bucket's region is followed once`() async throws {
        try await run { bench, proxy, configuration in
            let destination = try bench.destination(configuration)
            proxy.setRule { request in
                guard request.header("authorization")?.contains("/us-east-1/") == true else { return .forward }
                return .answer(
                    status: 301, headers: [("x-amz-bucket-region", "eu-central-1")],
                    body: request.method == "HEAD"
                        ? "" : "<Error><Code>PermanentRedirect</Code><Message>elsewhere</Message></Error>")
            }
            // The server takes only us-east-1, so the second redirect is its own answer: the driver does not follow it any more.
            let error = await #expect(throws: UploadError.self) {
                try await destination.probe(bench.job([1], key: "redirected"), state: nil)
            }
            #expect(error?.code == .misconfigured)
            let regions = proxy.requests.map { request in
                request.request.header("authorization")?.split(separator: "/").dropFirst(2).first.map(String.init)
            }
            #expect(Set(regions) == ["us-east-1", "eu-central-1"])
        }
    }

    @Test func `credentials that expire in the middle are read again`() async throws {
        try await run { bench, proxy, configuration in
            let server = try await OpenStackSwiftServer.shared()
            let scratch = try TemporaryDirectory()
            try scratch.write(Array(server.accessKey.utf8), to: "id")
            try scratch.write(Array(server.secretKey.utf8), to: "secret")
            let provider = ReferencedCredentials { () throws(UploadError) in
                AWSCredentials(
                    accessKeyID: String(decoding: scratch.read("id") ?? [], as: UTF8.self),
                    secretAccessKey: String(decoding: scratch.read("secret") ?? [], as: UTF8.self))
            }
            let destination = try bench.destination(configuration, credentials: provider)
            let old = server.accessKey
            proxy.setRule { request in
                guard request.partNumber ?? 0 > 2, request.header("authorization")?.contains("=\(old)/") == true else {
                    return .forward
                }
                return .answer(status: 400, body: "<Error><Code>ExpiredToken</Code><Message>expired</Message></Error>")
            }
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes * 4), key: "rotated")
            let session = try await destination.open(job, resuming: nil)
            try await bench.conformance().send(2, of: job, to: session)
            try scratch.write(Array(server.secondAccessKey.utf8), to: "id")
            try scratch.write(Array(server.secondSecretKey.utf8), to: "secret")
            try await bench.conformance().send(of: job, to: session)
            _ = try await session.complete(.none)
            #expect(try await bench.observer.head(bench.bucket, "rotated")?.size == Int(job.size))
            let users = Set(proxy.requests.compactMap { $0.request.header("authorization")?.contains("test:second") })
            #expect(users == [false, true])
        }
    }

    @Test func `a destination that asks for a rest gets it from all of this worker's jobs`() async throws {
        try await run { bench, proxy, configuration in
            let destination = try bench.destination(configuration)
            proxy.setRule { _ in
                .answer(status: 503, headers: [("Retry-After", "60")], body: "<Error><Code>SlowDown</Code></Error>")
            }
            let first = try await destination.open(bench.job([1], key: "slow"), resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                try await bench.conformance().send(of: bench.job([1], key: "slow"), to: first)
            }
            #expect(error?.code == .rateLimited)
            #expect(error?.retry == .after(seconds: 60))
            // Another job does not even send a request.
            let count = proxy.requests.count
            let other = await #expect(throws: UploadError.self) {
                try await destination.probe(bench.job([2], key: "other"), state: nil)
            }
            #expect(other?.code == .rateLimited)
            guard case .pause(let seconds) = other?.retry else {
                Issue.record("it is not said how long the rest is")
                return
            }
            #expect(seconds > 5 && seconds <= 61)
            #expect(proxy.requests.count == count)
        }
    }

    @Test func `throttling that passes slows down and then goes on`() async throws {
        try await run { bench, proxy, configuration in
            let destination = try bench.destination(configuration)
            let refusals = Atomic<Int>(0)
            proxy.setRule { _ in
                guard refusals.add(1, ordering: .relaxed).newValue <= 3 else { return .forward }
                return .answer(status: 503, body: "<Error><Code>SlowDown</Code></Error>")
            }
            let job = try bench.job([7], key: "throttled")
            var failures = 0
            while true {
                do {
                    try await carry(bench, destination, job)
                    break
                } catch let error as UploadError where error.code == .rateLimited {
                    failures += 1
                }
            }
            #expect(failures == 3)
            #expect(try await bench.observer.get(bench.bucket, "throttled") == [7])
        }
    }

    @Test func `a bucket that forbids reading cannot be probed, and that is no failure`() async throws {
        try await run { bench, proxy, configuration in
            let destination = try bench.destination(configuration)
            proxy.setRule { request in
                guard ["HEAD", "GET"].contains(request.method) else { return .forward }
                return .answer(
                    status: 403, body: request.method == "HEAD" ? "" : "<Error><Code>AccessDenied</Code></Error>")
            }
            #expect(try await destination.probe(bench.job([1], key: "x"), state: nil) == .unknowable)
        }
    }
}
