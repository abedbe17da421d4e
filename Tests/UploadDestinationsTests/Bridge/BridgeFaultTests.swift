import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Error answers of Bridge and its store.
@Suite(.timeLimit(.minutes(10)))
struct BridgeFaultTests {
    private typealias Call = BridgeServer.Call

    /// Tries all steps once.
    private func failure(
        _ bench: BridgeBench, _ job: UploadJob, at destination: BridgeDestination? = nil
    ) async throws -> UploadError? {
        let destination = if let destination { destination } else { try bench.destination() }
        let session = try await destination.open(job, resuming: nil)
        return await #expect(throws: UploadError.self) {
            try await bench.send(job, to: session, tries: 1)
            _ = try await session.complete(.none)
        }
    }

    @Test(arguments: [
        (307, UploadError.Code.rejected, UploadError.Retry.never), (400, .rejected, .never),
        (403, .accessDenied, .never),
        (404, .destinationNotFound, .never), (408, .networkFailure, .afterBackoff),
        (409, .serverFailure, .afterBackoff),
        (410, .misconfigured, .after(seconds: 3600)), (412, .accessDenied, .never), (423, .accessDenied, .never),
        (429, .rateLimited, .after(seconds: 7)), (500, .serverFailure, .afterBackoff),
        (503, .serverFailure, .after(seconds: 7)),
    ])
    func `each status has its meaning at the session request`(
        status: Int, code: UploadError.Code, retry: UploadError.Retry
    ) async throws {
        try await BridgeBench.with { bench in
            let headers = [429, 503].contains(status) ? ["Retry-After": "7"] : [:]
            bench.server.script {
                $0.fault = { call, _ in
                    call == .request ? .answer(status, headers: headers, body: #"{"message": "because"}"#) : nil
                }
            }
            let error = try await failure(bench, bench.job())
            #expect(error?.code == code)
            #expect(error?.retry == retry)
            #expect(error?.response?.status == status)
            #expect(error?.response?.body?.contains("because") == true)
            #expect(bench.server.count(.put) == 0)
        }
    }

    @Test(arguments: [
        (
            400, "<Error><Code>BadDigest</Code></Error>", UploadError.Code.checksumMismatch,
            UploadError.Retry.afterBackoff
        ),
        (400, "<Error><Code>ExpiredToken</Code></Error>", .accessDenied, .afterBackoff),
        (400, "<Error><Code>RequestTimeout</Code></Error>", .networkFailure, .afterBackoff),
        (400, "", .rejected, .never), (403, "", .accessDenied, .afterBackoff), (404, "", .destinationNotFound, .never),
        (405, "", .rejected, .never), (409, "", .serverFailure, .afterBackoff), (412, "", .rejected, .never),
        (413, "", .rejected, .never), (429, "", .rateLimited, .afterBackoff), (500, "", .serverFailure, .afterBackoff),
        (503, "", .serverFailure, .afterBackoff), (301, "", .rejected, .never),
    ])
    func `each status has its meaning at the store`(
        status: Int, body: String, code: UploadError.Code, retry: UploadError.Retry
    ) async throws {
        try await BridgeBench.with { bench in
            bench.server.script { $0.fault = { call, _ in call == .put ? .answer(status, body: body) : nil } }
            let error = try await failure(bench, bench.job())
            #expect(error?.code == code)
            #expect(error?.retry == retry)
            #expect(!BridgeBench.shown(error).contains("X-Amz"))
        }
    }

    @Test(arguments: [401, 404])
    func `wrong credentials are told as such, and tried once for all that wait`(status: Int) async throws {
        try await BridgeBench.with { bench in
            if status == 401 { bench.server.script { $0.fault = { call, _ in call == .signIn ? .answer(401) : nil } } }
            let destination = try bench.destination {
                $0.password = "jellyfish-1234"
                $0.signInPauseSeconds = 600
            }
            await withTaskGroup(of: UploadError?.self) { group in
                for number in 0..<50 {
                    group.addTask { try? await failure(bench, bench.job(key: "file-\(number)"), at: destination) }
                }
                for await error in group {
                    #expect(error?.code == .wrongCredentials)
                    #expect(error?.retry == .never)
                    #expect(error?.message.contains("correct the destination") == true)
                    #expect(!BridgeBench.shown(error).contains("jellyfish"))
                }
            }
            #expect(bench.server.count(.signIn) == 1)
        }
    }

    @Test func `after a pause the destination signs in again`() async throws {
        try await BridgeBench.with { bench in
            bench.server.script { $0.fault = { call, count in call == .signIn && count == 1 ? .answer(503) : nil } }
            let destination = try bench.destination { $0.signInPauseSeconds = 0 }
            let error = try await failure(bench, bench.job(), at: destination)
            #expect(error?.code == .serverFailure && error?.retry == .afterBackoff)
            try await bench.conformance(destination).carry(bench.job())
        }
    }

    @Test func `a participant who has not consented fails the job, and the session in the answer is not shown`()
        async throws
    {
        try await BridgeBench.with { bench in
            bench.server.script { $0.needsConsent = true }
            let error = try await failure(bench, bench.job())
            #expect(error?.code == .accessDenied && error?.retry == .never)
            #expect(error?.message.contains("consented") == true)
            #expect(error?.response?.status == 412)
            #expect(!BridgeBench.shown(error).contains("session-"))
        }
    }

    @Test(arguments: [BridgeServer.Call.signIn, .request, .put, .complete, .status])
    func `a lost answer is asked for again, and the file is there once`(call: BridgeServer.Call) async throws {
        try await BridgeBench.with { bench in
            bench.server.script {
                $0.fault = { at, count in at == call && count == 1 ? .lost : nil }
                $0.statuses = ["succeeded"]
            }
            let destination = try bench.destination {
                $0.waitsForValidation = true
                $0.signInPauseSeconds = 0
            }
            let job = try bench.job()
            var state: UploadState?
            var completed: CompletedUpload?
            // Like the engine, each attempt continues from the state that the attempt before left.
            for _ in 0..<4 where completed == nil {
                do {
                    let session = try await destination.open(job, resuming: state)
                    try await bench.send(job, to: session)
                    state = session.state ?? state
                    completed = try await session.complete(.none)
                } catch let error as UploadError {
                    #expect(error.code == .networkFailure || error.retry == .notYet(seconds: 5))
                    if error.code == .networkFailure { #expect(error.retry == .afterBackoff) }
                }
            }
            #expect(completed != nil)
            #expect(bench.server.uploads.count == 1)
            #expect(bench.server.uploads.first?.bytes == DestinationConformance.bytes(1000))
            #expect(bench.server.count(.put) == (call == .put ? 2 : 1))
        }
    }

    @Test func `a file that is not there when it is completed is sent again`() async throws {
        try await BridgeBench.with { bench in
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            bench.server.lose(try #require(bench.server.uploads.first?.id))
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            // The engine reacts to this error by beginning anew.
            #expect(error?.code == .sessionExpired)
            #expect(error?.response?.status == 404)
            let again = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: again)
            _ = try await again.complete(.none)
            #expect(bench.server.uploads.count == 1 && bench.server.uploads.first?.bytes != nil)
        }
    }

    @Test func `an upload that Bridge does not know any more is begun anew`() async throws {
        try await BridgeBench.with { bench in
            let job = try bench.job()
            let state = TicketState(id: "no/such?one", place: "http://127.0.0.1/x", etag: nil).uploadState(of: "bridge")
            let session = try await bench.destination().open(job, resuming: state)
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .sessionExpired)
            #expect(bench.server.requests.last?.path == "/v3/uploads/no%2Fsuch%3Fone/complete")
        }
    }

    @Test func `a source that has changed is told as it says so, and nothing is completed`() async throws {
        try await BridgeBench.with { bench in
            let changed = UploadError(.sourceChanged, "it is another file: enqueue it again")
            let job = try bench.job(4_000_000)
            for at in [Int64(0), 2 << 20] {
                let source = CountedSource(size: job.size, seed: 1, failure: (at, changed))
                let session = try await bench.destination().open(job, resuming: nil)
                let error = await #expect(throws: UploadError.self) {
                    try await session.upload(session.missing[0], from: source) { _ in }
                }
                #expect(error == changed)
                #expect(session.state == nil)
            }
            #expect(bench.server.requests.isEmpty, "the digest found it out before anything was sent")
        }
    }

    @Test func `no answer ends in a failure that is worth a retry`() async throws {
        let silent = try ScriptedServer { $0.waitForHangUp() }
        try await BridgeBench.with { bench in
            let destination = try bench.destination {
                $0.url = "http://127.0.0.1:\(silent.port)/"
                $0.times.firstByteSeconds = 1
            }
            let error = try await failure(bench, bench.job(), at: destination)
            #expect(error?.code == .networkFailure && error?.retry == .afterBackoff)
        }
    }

    @Test func `what is no answer of Bridge is told without the URL that it may hold`() async throws {
        try await BridgeBench.with { bench in
            let bodies = [
                "nonsense ?X-Amz-Signature=swordfish", #"{"url": "https://h/x?X-Amz-Signature=swordfish"}"#,
                #"{"id": "1", "url": "ftp://h/x?X-Amz-Signature=swordfish"}"#,
                #"{"id": "", "url": "https://h/x?X-Amz-Signature=swordfish"}"#,
            ]
            for body in bodies {
                bench.server.script { $0.fault = { call, _ in call == .request ? .answer(200, body: body) : nil } }
                let error = try await failure(bench, bench.job())
                #expect(error?.code == .invalidResponse)
                #expect(!BridgeBench.shown(error).contains("swordfish"))
            }
            bench.server.script {
                $0.fault = { call, _ in call == .signIn ? .answer(200, body: #"{"sessionToken": "a b"}"#) : nil }
            }
            #expect(try await failure(bench, bench.job())?.code == .invalidResponse)
        }
    }

    @Test func `neither password nor session nor URL is shown, whatever the server repeats`() async throws {
        try await BridgeBench.with { bench in
            let job = try bench.job()
            let destination = try bench.destination { $0.headers = ["X-Key": "cuttlefish-1234"] }
            let session = try await destination.open(job, resuming: nil)
            try await bench.send(job, to: session)
            let token = try #require(
                bench.server.requests.first { $0.path == "/v3/uploads" }?.headers["bridge-session"])
            let said = "\(token) \(BridgeServer.password) cuttlefish-1234"
            bench.server.script { $0.fault = { call, _ in call == .complete ? .answer(500, body: said) : nil } }
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.response?.body == "[hidden] [hidden] [hidden]")
            #expect(!BridgeBench.shown(error).contains(token))
            bench.server.script { $0.fault = { call, _ in call == .put ? .answer(403, body: "no \(token)") : nil } }
            let put = try await failure(bench, bench.job(999, seed: 7), at: destination)
            #expect(!BridgeBench.shown(put).contains("X-Amz"))
        }
    }

    @Test func `every status has a meaning with a remedy`() {
        for status in 300..<600 {
            for meaning in [BridgeErrorTable.meaning(status), TicketErrorTable.meaning(status, Data())] {
                #expect(meaning.remedy.contains(";") || meaning.remedy.contains(","), "\(status): \(meaning.remedy)")
                if (500..<600).contains(status), status != 501 { #expect(meaning.retry == .afterBackoff, "\(status)") }
            }
        }
    }
}
