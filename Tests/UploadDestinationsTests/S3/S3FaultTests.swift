import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Network faults on requests to a real server.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3FaultTests {
    private func run(
        times: TimeInterval = 60, _ body: (S3Bench, HTTPFaultProxy, S3Destination) async throws -> Void
    ) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await S3Bench.with(server.endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: server.port)
            var configuration = bench.configuration(by: server.endpoint.through(port: proxy.port))
            configuration.times.firstByteSeconds = times
            configuration.times.stallSeconds = times
            try await body(bench, proxy, try bench.destination(configuration))
            proxy.stop()
        }
    }

    /// A session whose parts are all sent.
    private func filledSession(
        _ bench: S3Bench, _ destination: S3Destination, _ job: UploadJob
    ) async throws -> any UploadSession {
        let session = try await destination.open(job, resuming: nil)
        try await bench.conformance().send(of: job, to: session)
        return session
    }

    private func isComplete(_ request: HTTPFaultProxy.Request) -> Bool {
        request.method == "POST" && request.query["uploadId"] != nil
    }

    @Test func `a lost answer to Complete is found out by looking`() async throws {
        try await run { bench, proxy, destination in
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes * 2), key: "lost")
            let session = try await filledSession(bench, destination, job)
            proxy.setRule { [isComplete] in isComplete($0) ? .forwardThenCut : .forward }
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .networkFailure)
            guard case .complete(let found) = try await destination.probe(job, state: session.state) else {
                Issue.record("the object that was made is not recognised")
                return
            }
            #expect(found.object.size == job.size)
        }
    }

    @Test func `a lost answer to a PUT is found out by looking`() async throws {
        try await run { bench, proxy, destination in
            let job = try bench.job([1, 2, 3], key: "lost")
            let session = try await destination.open(job, resuming: nil)
            proxy.setRule { $0.method == "PUT" ? .forwardThenCut : .forward }
            let error = await #expect(throws: UploadError.self) {
                try await bench.conformance().send(of: job, to: session)
            }
            #expect(error?.code == .networkFailure)
            guard case .complete = try await destination.probe(job, state: nil) else {
                Issue.record("the object that was made is not recognised")
                return
            }
        }
    }

    @Test func `Complete that answers 200 with an error has failed, and is repeated`() async throws {
        try await run { bench, proxy, destination in
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes * 2), key: "error")
            let session = try await filledSession(bench, destination, job)
            proxy.setRule { [isComplete] request in
                guard isComplete(request) else { return .forward }
                return .answer(
                    status: 200,
                    body:
                        "  \n<?xml version='1.0'?><Error><Code>InternalError</Code><Message>no &lt;luck&gt;</Message></Error>"
                )
            }
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .serverFailure)
            #expect(error?.message.contains("InternalError") == true)
            proxy.setRule { _ in .forward }
            #expect(try await session.complete(.none).object.size == job.size)
            #expect(try await bench.observer.head(bench.bucket, "error")?.size == Int(job.size))
        }
    }

    @Test func `after a conflict of conditional writes the upload is given up and begun anew`() async throws {
        try await run { bench, proxy, destination in
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes * 2), key: "conflict")
            let session = try await filledSession(bench, destination, job)
            proxy.setRule { [isComplete] request in
                guard isComplete(request) else { return .forward }
                return .answer(status: 409, body: "<Error><Code>ConditionalRequestConflict</Code></Error>")
            }
            let error = await #expect(throws: UploadError.self) { try await session.complete(.absent) }
            #expect(error?.code == .sessionExpired)
            #expect(try await bench.observer.listUploads(bench.bucket).isEmpty)
        }
    }

    @Test(arguments: [0, 40])
    func `an answer that breaks off is no answer`(bytes: Int) async throws {
        try await run { bench, proxy, destination in
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes * 2), key: "cut")
            proxy.setRule { $0.query["uploads"] != nil ? .truncateAnswer(bytes: bytes) : .forward }
            let error = await #expect(throws: UploadError.self) { try await destination.open(job, resuming: nil) }
            #expect(error?.code == .invalidResponse)
            #expect(error?.retry == .afterBackoff)
            proxy.setRule { _ in .forward }
            let session = try await filledSession(bench, destination, job)
            proxy.setRule { $0.query["uploadId"] != nil ? .truncateAnswer(bytes: bytes) : .forward }
            let second = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(second?.code == .invalidResponse)
            let third = await #expect(throws: UploadError.self) {
                try await destination.open(job, resuming: session.state)
            }
            #expect(third?.code == .invalidResponse)
        }
    }

    @Test func `silence ends in a failure that is worth a retry`() async throws {
        try await run(times: 1) { bench, proxy, destination in
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes * 2), key: "silent")
            let state = try #require(try await bench.destination().open(job, resuming: nil).state)
            let session = S3MultipartSession(
                S3Upload(target: try S3Target(job, bench.configuration), client: destination.client),
                try S3State(state),
                holding: [:])
            for action in [HTTPFaultProxy.Action.stallAnswer, .stallRequest(afterBytes: 1 << 20)] {
                proxy.setRule { _ in action }
                let error = await #expect(throws: UploadError.self) {
                    try await bench.conformance().send(1, of: job, to: session)
                }
                #expect(error?.code == .networkFailure)
                #expect(error?.retry == .afterBackoff)
            }
            // With the default limits: a busy machine may be silent for a second, too.
            let patient = try await bench.destination().open(job, resuming: session.state)
            try await bench.conformance().send(of: job, to: patient)
            #expect(try await patient.complete(.none).object.size == job.size)
        }
    }

    @Test func `a part that was cut off is missing, and only that one is sent again`() async throws {
        try await run { bench, proxy, destination in
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes * 4), key: "part")
            let session = try await destination.open(job, resuming: nil)
            proxy.setRule { $0.partNumber == 3 ? .cutAfterRequestBytes(1 << 20) : .forward }
            let error = await #expect(throws: UploadError.self) {
                try await bench.conformance().send(of: job, to: session)
            }
            #expect(error?.code == .networkFailure)
            proxy.setRule { _ in .forward }
            let other = try await bench.destination().open(job, resuming: session.state)
            #expect(other.missing.map(\.number) == [3, 4])
            let resumed = try await destination.open(job, resuming: session.state)
            try await bench.conformance().send(of: job, to: resumed)
            #expect(proxy.partsSent == [1: 1, 2: 1, 3: 1, 4: 1])
            _ = try await resumed.complete(.none)
        }
    }

    @Test func `parts that are not the job's file are never put together`() async throws {
        try await run { bench, proxy, destination in
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes * 2), key: "other")
            let session = try await destination.open(job, resuming: nil)
            // As if another worker had filled the session from another file.
            let other = DestinationConformance.bytes(S3Bench.partBytes * 2, seed: 5)
            try await bench.conformance().send(of: bench.job(other, key: "other"), to: session)
            proxy.forget()
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .checksumMismatch)
            #expect(proxy.requests.isEmpty, "the server is not even asked")
            #expect(try await bench.observer.head(bench.bucket, "other") == nil)
        }
    }

    @Test func `an answer without an end is not read to its end`() async throws {
        try await run { bench, proxy, destination in
            let job = try bench.job(DestinationConformance.bytes(S3Bench.partBytes * 2), key: "endless")
            let body =
                "<ListPartsResult>" + String(repeating: "<Part><PartNumber>1</PartNumber></Part>", count: 200_000)
            proxy.setRule { $0.query["uploadId"] != nil ? .answer(status: 200, body: body) : .forward }
            let session = try await destination.open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                try await destination.open(job, resuming: session.state)
            }
            #expect(error?.code == .invalidResponse)
        }
    }
}
