import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// "Validating Your Bundle With Status Calls"
@Suite(.timeLimit(.minutes(10)))
struct BridgeValidationTests {
    private func waiting(_ bench: BridgeBench) throws -> BridgeDestination {
        try bench.destination { $0.waitsForValidation = true }
    }

    /// - Returns: the state after the file was sent and its completion reported.
    private func sent(_ bench: BridgeBench, _ job: UploadJob) async throws -> UploadState {
        let session = try await waiting(bench).open(job, resuming: nil)
        try await bench.send(job, to: session)
        let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
        #expect(error?.retry == .notYet(seconds: 5))
        #expect(error?.response?.body?.contains("validation_in_progress") == true)
        return try #require(session.state)
    }

    @Test func `a job is completed once Bridge finds the file valid, with its record`() async throws {
        try await BridgeBench.with { bench in
            bench.server.script { $0.statuses = ["validation_in_progress", "validation_in_progress", "succeeded"] }
            let job = try bench.job()
            let state = try await sent(bench, job)
            // A later slice at another worker only asks for the status.
            let other = try waiting(bench)
            #expect(try await other.probe(job, state: state) == .partial(state, beside: nil))
            let session = try await other.open(job, resuming: state)
            #expect(session.missing.isEmpty)
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.retry == .notYet(seconds: 5))
            guard case .complete(let completed) = try await other.probe(job, state: state) else {
                Issue.record("it has succeeded")
                return
            }
            #expect(completed.response?.body?.contains("record-") == true)
            #expect(try await other.open(job, resuming: state).complete(.none) == completed)
            #expect(bench.server.count(.put) == 1 && bench.server.count(.complete) == 1)
        }
    }

    @Test func `a file that is not valid fails the job with what Bridge says`() async throws {
        try await BridgeBench.with { bench in
            bench.server.script {
                $0.statuses = ["validation_failed"]
                $0.messages = ["no info.json", "not encrypted"]
            }
            let job = try bench.job()
            let state = try await sent(bench, job)
            #expect(try await waiting(bench).probe(job, state: state) == .partial(state, beside: nil))
            let error = await #expect(throws: UploadError.self) {
                try await waiting(bench).open(job, resuming: state).complete(.none)
            }
            #expect(error?.code == .rejected && error?.retry == .never)
            #expect(error?.message.contains("no info.json; not encrypted") == true)
            #expect(error?.response?.body?.contains("no info.json") == true)
        }
    }

    @Test(arguments: ["duplicate", "succeeded"])
    func `what Bridge has already is completed`(status: String) async throws {
        try await BridgeBench.with { bench in
            bench.server.script { $0.statuses = [status] }
            let job = try bench.job()
            let state = try await sent(bench, job)
            let completed = try await waiting(bench).open(job, resuming: state).complete(.none)
            #expect(completed.response?.body?.contains(status) == true)
        }
    }

    @Test(arguments: ["requested", "unknown"])
    func `an upload whose completion was not reported to the Bridge is completed first`(status: String) async throws {
        try await BridgeBench.with { bench in
            let job = try bench.job()
            let first = try await waiting(bench).open(job, resuming: nil)
            try await bench.send(job, to: first)
            let state = try #require(first.state)
            bench.server.script { $0.statuses = [status, "succeeded"] }
            let session = try await waiting(bench).open(job, resuming: state)
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.retry == .notYet(seconds: 5))
            #expect(bench.server.count(.complete) == 1)
        }
    }

    @Test func `a word of a newer Bridge is waited for`() async throws {
        try await BridgeBench.with { bench in
            bench.server.script { $0.statuses = ["being_pondered"] }
            let job = try bench.job()
            let state = try await sent(bench, job)
            let error = await #expect(throws: UploadError.self) {
                try await waiting(bench).open(job, resuming: state).complete(.none)
            }
            #expect(error?.retry == .notYet(seconds: 5))
        }
    }

    @Test func `who does not wait is done when Bridge has been told`() async throws {
        try await BridgeBench.with { bench in
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            let state = try #require(session.state)
            _ = try await session.complete(.none)
            #expect(bench.server.count(.status) == 0)
            guard case .complete = try await bench.destination().probe(job, state: state) else {
                Issue.record("it has been told")
                return
            }
        }
    }

    @Test func `a status that cannot be had just now is asked for again`() async throws {
        try await BridgeBench.with { bench in
            let job = try bench.job()
            let state = try await sent(bench, job)
            bench.server.script { $0.fault = { call, _ in call == .status ? .answer(503) : nil } }
            let error = await #expect(throws: UploadError.self) {
                try await waiting(bench).open(job, resuming: state).complete(.none)
            }
            #expect(error?.code == .serverFailure && error?.retry == .afterBackoff)
        }
    }
}
