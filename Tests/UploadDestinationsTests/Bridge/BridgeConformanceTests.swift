import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Runs against a scripted Bridge that follows the specification, because Bridge itself cannot be run here.
@Suite(.timeLimit(.minutes(10)))
struct BridgeConformanceTests {
    @Test func `a file goes up as the documentation says`() async throws {
        try await BridgeBench.with { bench in
            var job = try bench.job(10_007, key: "study/2026/Grüße 1.zip")
            job.metadata = ["instanceGuid": "guid-1"]
            let completed = try await bench.conformance(bench.destination()).carry(job)
            let upload = try #require(bench.server.uploads.first)
            #expect(upload.bytes == DestinationConformance.bytes(10_007))
            #expect(upload.status == "validation_in_progress")
            #expect(upload.name == "Grüße 1.zip")
            #expect(upload.document["metadata"] as? [String: String] == ["instanceGuid": "guid-1"])
            #expect(upload.document["encrypted"] as? Bool == true && upload.document["zipped"] as? Bool == true)
            #expect(upload.document["type"] as? String == "UploadRequest")
            #expect(completed.object.location == "\(bench.server.url)v3/uploads/\(upload.id)")
            #expect(completed.object.etag == "\"etag-\(upload.id)\"")
            #expect(completed.object.size == 10_007)
            #expect(completed.response?.body?.contains("validation_in_progress") == true)
            #expect(
                bench.server.requests.map { "\($0.method) \($0.path.replacing(upload.id, with: "ID"))" } == [
                    "POST /v3/auth/signIn", "POST /v3/uploads", "PUT /store/ID", "POST /v3/uploads/ID/complete",
                ])
            let put = bench.server.requests[2]
            #expect(put.headers["content-length"] == "10007" && put.headers["transfer-encoding"] == nil)
            #expect(put.headers["bridge-session"] == nil, "the store is not Bridge")
        }
    }

    @Test func `files of all edge sizes arrive`() async throws {
        try await BridgeBench.with { bench in
            let conformance = try bench.conformance(bench.destination())
            for size in [1, 99_999, 100_000, 100_001, 300_000] {
                let bytes = DestinationConformance.bytes(size)
                try await conformance.carry(conformance.job(bytes, key: "edge/\(size)"))
                #expect(try await conformance.stored("edge/\(size)") == bytes)
            }
        }
    }

    @Test func `odd names arrive`() async throws {
        try await BridgeBench.with { bench in try await bench.conformance(bench.destination()).oddNamesArrive() }
    }

    @Test func `the last of two wins`() async throws {
        try await BridgeBench.with { bench in try await bench.conformance(bench.destination()).theLastOfTwoWins() }
    }

    @Test func `fifty at once share one sign-in`() async throws {
        try await BridgeBench.with { bench in
            try await bench.conformance(bench.destination()).manyAtOnceArrive()
            #expect(bench.server.count(.signIn) == 1)
            #expect(bench.server.refusedTokens.isEmpty)
        }
    }

    @Test func `the largest file goes up, one more byte is refused before anything is sent, and so is an empty one`()
        async throws
    {
        try await BridgeBench.with { bench in
            let destination = try bench.destination()
            for size in [0, 50_000_001] {
                var job = try bench.job(1)
                job.size = Int64(size)
                let error = await #expect(throws: UploadError.self) {
                    try await destination.open(job, resuming: nil)
                }
                #expect(error?.code == .rejected && error?.retry == .never)
            }
            var largest = try bench.job(1)
            largest.size = 50_000_000
            _ = try await destination.open(largest, resuming: nil)
            #expect(bench.server.requests.isEmpty)
        }
    }

    @Test func `another worker only completes what is there, without a byte sent again`() async throws {
        try await BridgeBench.with { bench in
            let job = try bench.job()
            let first = try await bench.destination().open(job, resuming: nil)
            #expect(
                first.state == nil, "the URL is a credential: before the bytes are there nothing can be handed over")
            try await bench.send(job, to: first)
            let state = try #require(first.state)
            let text = String(decoding: try WireJSON.encode(state), as: UTF8.self)
            #expect(!text.contains("Signature") && !text.contains("?"))

            let other = try bench.destination()
            #expect(try await other.probe(job, state: state) == .partial(state, beside: nil))
            let second = try await other.open(job, resuming: state)
            #expect(second.missing.isEmpty)
            let completed = try await second.complete(.none)
            #expect(completed.object.size == job.size && completed.object.etag != nil)
            #expect(try await second.complete(.none).object == completed.object, "completing twice is safe")
            guard case .complete(let found) = try await other.probe(job, state: state) else {
                Issue.record("the job's own upload is not recognised")
                return
            }
            #expect(found.object == completed.object)
            #expect(bench.server.count(.put) == 1)
        }
    }

    @Test func `nothing can be asked before the file is there, a PUT cannot be cut, and nothing can be taken back`()
        async throws
    {
        try await BridgeBench.with { bench in
            let destination = try bench.destination { $0.limits = TransferLimits(jobs: 3) }
            let job = try bench.job()
            #expect(destination.driver == "bridge" && destination.limits == TransferLimits(jobs: 3))
            #expect(!destination.canYield(job))
            #expect(try await destination.probe(job, state: nil) == .unknowable)
            let strange = UploadState(driver: "bridge", payload: ["sent": true])
            #expect(try await destination.probe(job, state: strange) == .nothing)
            let error = await #expect(throws: UploadError.self) {
                try await destination.open(job, resuming: strange)
            }
            #expect(error?.code == .sessionExpired)
            try await destination.discard(strange, of: job)
            #expect(bench.server.requests.isEmpty)
        }
    }

    @Test func `a job that must not replace anything is refused, and so is one without a name`() async throws {
        try await BridgeBench.with { bench in
            var keeping = try bench.job()
            keeping.ifExists = .fail
            let nameless = try bench.job(key: "study/")
            var direct = try bench.job()
            direct.destination = .url("https://bridge.example/x?token=swordfish-1234")
            for (job, code) in [(keeping, UploadError.Code.rejected), (direct, .misconfigured)] {
                let error = await #expect(throws: UploadError.self) {
                    try await bench.destination().open(job, resuming: nil)
                }
                #expect(error?.code == code)
                #expect(!BridgeBench.shown(error).contains("swordfish"))
            }
            _ = try await bench.destination().open(nameless, resuming: nil)
        }
    }

    @Test func `what is configured reaches Bridge`() async throws {
        try await BridgeBench.with { bench in
            let destination = try bench.destination {
                $0.isZipped = false
                $0.isEncrypted = false
                $0.headers = ["User-Agent": "Mine/7"]
            }
            try await bench.conformance(destination).carry(bench.job())
            let upload = try #require(bench.server.uploads.first)
            #expect(upload.document["encrypted"] as? Bool == false && upload.document["zipped"] as? Bool == false)
            for request in bench.server.requests {
                #expect((request.headers["user-agent"] == "Mine/7") == (request.method != "PUT"))
            }
        }
    }
}
