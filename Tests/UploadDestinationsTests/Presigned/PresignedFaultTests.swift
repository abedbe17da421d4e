import Foundation
import Synchronization
import Testing
import UploadSources
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Error answers of endpoints and stores.
@Suite(.timeLimit(.minutes(10)))
struct PresignedFaultTests {
    private func failure(
        _ bench: PresignedBench, _ change: @escaping @Sendable (inout PresignedConfiguration) -> Void = { _ in }
    ) async throws -> UploadError? {
        let job = try bench.job()
        let session = try await bench.destination(change).open(job, resuming: nil)
        return await #expect(throws: UploadError.self) {
            try await bench.send(job, to: session, tries: 1)
            _ = try await session.complete(.none)
        }
    }

    @Test(arguments: [
        (302, UploadError.Code.rejected, UploadError.Retry.never), (400, .rejected, .never),
        (401, .notAuthenticated, .never), (403, .accessDenied, .never), (404, .destinationNotFound, .never),
        (405, .rejected, .never), (409, .serverFailure, .afterBackoff), (410, .destinationNotFound, .never),
        (413, .rejected, .never), (429, .rateLimited, .after(seconds: 7)), (500, .serverFailure, .afterBackoff),
        (503, .serverFailure, .after(seconds: 7)),
    ])
    func `each status has its meaning at the endpoint`(
        status: Int, code: UploadError.Code, retry: UploadError.Retry
    ) async throws {
        try await PresignedBench.with { bench in
            for path in ["/sign", "/done/"] where path == "/sign" || status != 404 {
                bench.script {
                    $0.fault = { request, _ in
                        guard request.path.hasPrefix(path) else { return nil }
                        let headers = [429, 503].contains(status) ? ["Retry-After": "7"] : [:]
                        return .status(status, headers: headers, body: "because of swordfish-1234")
                    }
                }
                let error = try await failure(bench)
                #expect(error?.code == code)
                #expect(error?.retry == retry)
                #expect(error?.response?.status == status)
                #expect(error?.response?.body == "because of [hidden]")
            }
        }
    }

    @Test func `wrong credentials are told as such, and not shown`() async throws {
        try await PresignedBench.with { bench in
            bench.script {
                $0.fault = { request, _ in .status(401, body: "not \(request.headers["authorization"] ?? "")") }
            }
            let error = try await failure(bench) {
                $0.headers = ["Authorization": "Bearer jellyfish-1234"]
                $0.fields = ["key": "{key}", "secret": "cuttlefish-1234"]
            }
            #expect(error?.code == .notAuthenticated && error?.retry == .never)
            #expect(error?.response?.body == "not [hidden]")
        }
    }

    @Test func `what a request says may be secret, and is shown neither of an answer nor of a mistake`() async throws {
        try await PresignedBench.with { bench in
            bench.script {
                $0.fault = { request, _ in .status(400, body: "no \(request.text("secret") ?? "")") }
            }
            let error = try await failure(bench) { $0.fields = ["key": "{key}", "secret": "cuttlefish-1234"] }
            #expect(error?.response?.body == "no [hidden]")
            for text in ["cuttlefish-1234 {", "cuttlefish-1234 {nothing}"] {
                let mistake = #expect(throws: UploadError.self) {
                    try bench.destination { $0.fields = ["secret": text] }
                }
                #expect(mistake?.code == .misconfigured)
                #expect(mistake?.message.contains("'secret'") == true)
                #expect(!BridgeBench.shown(mistake).contains("cuttlefish"))
            }
        }
    }

    @Test(arguments: ["/sign", "/done/", "PUT"])
    func `a lost answer is asked for again, and the file is there once`(place: String) async throws {
        try await PresignedBench.with { bench in
            let isLost = Mutex(false)
            let lose: @Sendable () -> Bool = {
                isLost.withLock { isLost in
                    defer { isLost = true }
                    return !isLost
                }
            }
            bench.script { $0.fault = { request, _ in request.path.hasPrefix(place) && lose() ? .lost : nil } }
            bench.proxy.setRule { $0.method == place && lose() ? .forwardThenCut : .forward }
            let job = try bench.job()
            var state: UploadState?
            var completed: CompletedUpload?
            for _ in 0..<3 where completed == nil {
                do {
                    let session = try await bench.destination().open(job, resuming: state)
                    try await bench.send(job, to: session, tries: 1)
                    state = session.state ?? state
                    completed = try await session.complete(.none)
                } catch let error as UploadError {
                    #expect(error.code == .networkFailure && error.retry == .afterBackoff)
                }
            }
            #expect(completed?.object.size == 1000)
            #expect(try await bench.stored("folder/file.txt") == DestinationConformance.bytes(1000))
            #expect(bench.puts.count == (place == "PUT" ? 2 : 1))
        }
    }

    @Test func `a file that is not there when it is told is sent again, where that is configured`() async throws {
        try await PresignedBench.with { bench in
            bench.script { $0.fault = { request, _ in request.path.hasPrefix("/done/") ? .status(404) : nil } }
            #expect(try await failure(bench)?.code == .sessionExpired, "which the engine answers by opening anew")
            let error = try await failure(bench) { $0.completion?.sendsAgainWhenAbsent = false }
            #expect(error?.code == .destinationNotFound && error?.retry == .never)
        }
    }

    @Test func `what was told before may be answered as the endpoint likes`() async throws {
        try await PresignedBench.with { bench in
            bench.script { $0.fault = { request, _ in request.path.hasPrefix("/done/") ? .status(409) : nil } }
            try await bench.conformance { $0.completion?.doneStatuses = [409] }.carry(bench.job())
        }
    }

    /// The endpoint carried out the completing call, and its answer was lost.
    @Test func `a call that conflicts with what was done is looked at by the status`() async throws {
        try await PresignedBench.with { bench in
            bench.script { $0.fault = { request, _ in request.path.hasPrefix("/done/") ? .status(409) : nil } }
            let status: @Sendable (inout PresignedConfiguration) -> Void = { configuration in
                configuration.status = PresignedStatus(
                    url: configuration.url.replacing("/sign", with: "/state/{id}"), path: "upload.state",
                    done: ["ready"], open: ["new"])
            }
            try await bench.conformance(status).carry(bench.job())
            bench.script { $0.words = ["new"] }
            let error = try await failure(bench, status)
            #expect(error?.code == .serverFailure && error?.retry == .afterBackoff)
        }
    }

    @Test func `an answer that cannot be used is told by where it lacks something, without a word of it`() async throws
    {
        try await PresignedBench.with { bench in
            for (body, word) in [
                ("nonsense swordfish", "no JSON"), (#"{"to": "swordfish"}"#, "answer.url"),
                (#"{"to": 7}"#, "answer.url"), (#"{"to": "ftp://h/x?swordfish"}"#, "answer.url"),
                (#"{"to": "https://h/x?swordfish"}"#, "answer.id"),
                (#"{"to": "https://h/x?swordfish", "name": "a", "with": {"A B": "swordfish"}}"#, "answer.headers"),
                (
                    #"{"to": "https://h/x?swordfish", "name": "a", "with": {"A": "b\r\nC: swordfish"}}"#,
                    "answer.headers"
                ),
            ] {
                bench.script { $0.fault = { _, _ in .status(200, body: body) } }
                let error = try await failure(bench) {
                    $0.answer = PresignedAnswer(url: "to", id: "name", headers: "with")
                }
                #expect(error?.code == .invalidResponse && error?.retry == .never)
                #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
                #expect(!BridgeBench.shown(error).contains("swordfish"))
            }
        }
    }

    @Test func `a source that has changed is told as it says so`() async throws {
        try await PresignedBench.with { bench in
            let changed = UploadError(.sourceChanged, "it is another file: enqueue it again")
            let job = try bench.job(4_000_000)
            for sendsMD5 in [false, true] {
                let source = CountedSource(size: job.size, seed: 1, failure: (2 << 20, changed))
                let session = try await bench.destination { $0.sendsContentMD5 = sendsMD5 }.open(job, resuming: nil)
                let error = await #expect(throws: UploadError.self) {
                    try await session.upload(session.missing[0], from: source) { _ in }
                }
                #expect(error == changed)
                #expect(session.state == nil)
            }
            #expect(try await bench.stored("folder/file.txt") == nil)
        }
    }

    @Test func `while a store takes nothing, little of the file is read`() async throws {
        let isHeard = Mutex(false)
        let store = try ScriptedServer { connection in
            _ = connection.readHead()
            isHeard.withLock { $0 = true }
            connection.waitForHangUp()
        }
        let signer = try EndpointServer { _ in .json(["url": "http://127.0.0.1:\(store.port)/x?Signature=1"]) }
        try await PresignedBench.with { bench in
            let destination = try bench.destination {
                $0.url = signer.url
                $0.answer = PresignedAnswer()
                $0.completion = nil
                $0.times.stallSeconds = 2
            }
            var job = try bench.job()
            job.size = 256 << 20
            let source = CountedSource(size: job.size, seed: 1)
            let session = try await destination.open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.missing[0], from: source) { _ in }
            }
            #expect(error?.code == .networkFailure)
            let wasHeard = isHeard.withLock(\.self)
            #expect(wasHeard)
            #expect(source.bytesRead < 32 << 20, "\(source.bytesRead)")
        }
    }

    @Test func `a job that lacks what the endpoint wants to know is refused before anything is sent`() async throws {
        try await PresignedBench.with { bench in
            let destination = try bench.destination { $0.fields = ["key": "{key}", "album": "{metadata.album}"] }
            var job = try bench.job()
            let error = await #expect(throws: UploadError.self) { try await destination.open(job, resuming: nil) }
            #expect(error?.code == .rejected && error?.message.contains("{metadata.album}") == true)
            job.metadata = ["album": "1"]
            _ = try await destination.open(job, resuming: nil)
            job.ifExists = .skip
            let keeping = await #expect(throws: UploadError.self) { try await destination.open(job, resuming: nil) }
            #expect(keeping?.code == .rejected && keeping?.message.contains("--if-exists replace") == true)
            job.destination = .url("https://h/x?swordfish")
            let direct = await #expect(throws: UploadError.self) { try await destination.open(job, resuming: nil) }
            #expect(direct?.code == .misconfigured)
            #expect(bench.signer.requests.isEmpty)
        }
    }

    @Test func `what is no URL is found out when the driver is made`() async throws {
        try await PresignedBench.with { bench in
            for change in [
                { $0.url = "nowhere?key=swordfish" }, { $0.completion?.url = "https://h/{key}" },
                { $0.completion?.url = "{id}" }, { $0.status = PresignedStatus(url: "https://h/{", done: []) },
            ] as [(inout PresignedConfiguration) -> Void] {
                let error = #expect(throws: UploadError.self) { try bench.destination(change) }
                #expect(error?.code == .misconfigured)
                #expect(!BridgeBench.shown(error).contains("swordfish"))
            }
        }
    }

    @Test func `every status has a meaning with a remedy`() {
        for status in 300..<600 {
            let meaning = PresignedSource.meaning(status)
            #expect(meaning.remedy.contains(";") || status == 413, "\(status): \(meaning.remedy)")
        }
    }
}
