import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Runs against real stores behind an endpoint that signs URLs for them.
@Suite(.timeLimit(.minutes(10)))
struct PresignedConformanceTests {
    @Test(arguments: PresignedBench.Store.allCases)
    func `files of all edge sizes arrive`(store: PresignedBench.Store) async throws {
        try await PresignedBench.with(store) { try await $0.conformance().edgeSizesArrive() }
    }

    @Test func `odd names arrive`() async throws {
        try await PresignedBench.with { try await $0.conformance().oddNamesArrive() }
    }

    @Test func `the last of two wins`() async throws {
        try await PresignedBench.with { try await $0.conformance().theLastOfTwoWins() }
    }

    @Test(arguments: PresignedBench.Store.allCases)
    func `fifty at once arrive`(store: PresignedBench.Store) async throws {
        try await PresignedBench.with(store) {
            try await $0.conformance().manyAtOnceArrive(inANewDirectory: store != .rclone)
        }
    }

    @Test(arguments: PresignedBench.Store.allCases)
    func `a digest that is asked for goes with the request and with the bytes`(
        store: PresignedBench.Store
    ) async throws {
        try await PresignedBench.with(store) { bench in
            bench.script { $0.signsMD5 = true }
            let bytes = DestinationConformance.bytes(2_000_003)
            let completed = try await bench.conformance { configuration in
                configuration.sendsContentMD5 = true
                configuration.fields = [
                    "key": "{key}", "digest": "{contentMD5}", "hex": "{md5}", "bytes": "{size}", "public": "true",
                    "title": "{stem} of {{x}}",
                ]
            }.carry(bench.conformance().job(bytes, key: "a/b.bin"))
            #expect(try await bench.stored("a/b.bin") == bytes)
            let asked = try #require(bench.signer.requests.first)
            let hex = ReferenceMD5.digest(bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined()
            #expect(asked.text("digest") == ReferenceMD5.base64(bytes) && asked.text("hex") == hex)
            #expect(asked.json["bytes"] as? Int == 2_000_003 && asked.json["public"] as? Bool == true)
            #expect(asked.text("title") == "b of {x}")
            let put = try #require(bench.proxy.requests.first { $0.method == "PUT" })
            #expect(put.request.header("content-md5") == ReferenceMD5.base64(bytes))
            #expect(put.request.header("content-length") == "2000003", "that is not the endpoint's to say")
            #expect(put.request.header("transfer-encoding") == nil)
            #expect(put.request.header("x-amz-meta-by") == "endpoint")
            #expect(completed.object.size == 2_000_003 && completed.object.etag != nil)
        }
    }

    @Test func `the endpoint's secrets go nowhere else, and the URL's query is in no state or result`() async throws {
        try await PresignedBench.with { bench in
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            #expect(session.state == nil)
            try await bench.send(job, to: session)
            let state = try #require(session.state)
            let completed = try await session.complete(.none)
            let told = String(decoding: try WireJSON.encode(state), as: UTF8.self) + "\(completed)"
            #expect(!told.contains("X-Amz") && !told.contains("?") && !told.contains("swordfish"))
            #expect(completed.object.location.hasSuffix("/folder/file.txt"))
            #expect(completed.response?.body?.contains("told") == true)
            let put = try #require(bench.proxy.requests.first { $0.method == "PUT" })
            #expect(put.request.header("authorization") == nil)
        }
    }

    @Test func `another worker only completes what is there, without a byte sent again`() async throws {
        try await PresignedBench.with { bench in
            let job = try bench.job()
            let first = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: first)
            let state = try #require(first.state)
            #expect(try await bench.destination().probe(job, state: state) == .partial(state, beside: nil))
            let second = try await bench.destination().open(job, resuming: state)
            #expect(second.missing.isEmpty)
            let completed = try await second.complete(.none)
            #expect(try await second.complete(.none).object == completed.object, "completing twice is safe")
            #expect(bench.signings == 1 && bench.puts == [200])
        }
    }

    @Test func `a job is completed once the endpoint says so`() async throws {
        try await PresignedBench.with { bench in
            bench.script { $0.words = ["scanning", "scanning", "ready"] }
            let destination = try bench.destination {
                $0.status = PresignedStatus(
                    url: bench.signer.url + "/state/{id}", path: "upload.state", done: ["ready"], failed: ["infected"],
                    askAgainSeconds: 9)
            }
            let job = try bench.job()
            let first = try await destination.open(job, resuming: nil)
            try await bench.send(job, to: first)
            let error = await #expect(throws: UploadError.self) { try await first.complete(.none) }
            #expect(error?.retry == .notYet(seconds: 9))
            let state = try #require(first.state)
            #expect(try await destination.probe(job, state: state) == .partial(state, beside: nil))
            guard case .complete(let completed) = try await destination.probe(job, state: state) else {
                Issue.record("the endpoint says that it is ready")
                return
            }
            #expect(try await destination.open(job, resuming: state).complete(.none).object == completed.object)
            #expect(bench.signer.requests.count { $0.method == "POST" && $0.path.hasPrefix("/done/") } == 1)

            bench.script { $0.words = ["infected"] }
            let refused = await #expect(throws: UploadError.self) {
                try await destination.open(job, resuming: state).complete(.none)
            }
            #expect(refused?.code == .rejected && refused?.retry == .never)
            #expect(refused?.response?.body?.contains("infected") == true)
        }
    }

    @Test func `an endpoint that wants to hear nothing is told nothing`() async throws {
        try await PresignedBench.with { bench in
            let job = try bench.job()
            let completed = try await bench.conformance { $0.completion = nil }.carry(job)
            #expect(completed.response?.status == 200)
            #expect(bench.signer.requests.map(\.path) == ["/sign"])
            let destination = try bench.destination { $0.limits = TransferLimits(jobs: 3) }
            #expect(destination.driver == "presigned" && destination.limits == TransferLimits(jobs: 3))
            #expect(!destination.canYield(job))
            #expect(try await destination.probe(job, state: nil) == .unknowable)
            let state = UploadState(driver: "presigned", payload: ["sent": true, "place": "x"])
            try await destination.discard(state, of: job)
        }
    }

    @Test func `an endpoint may be asked by GET`() async throws {
        let signed = try EndpointServer { request in
            request.method == "GET"
                ? .json(["url": "http://127.0.0.1:1/x?Signature=swordfish-1234"]) : .status(405)
        }
        try await PresignedBench.with { bench in
            let destination = try bench.destination {
                $0.url = signed.url + "/sign?for=me"
                $0.method = "GET"
                $0.fields = ["file": "{name}", "type": "{contentType}"]
                $0.answer = PresignedAnswer()
                $0.completion = nil
            }
            let job = try bench.job(key: "a b&c.txt")
            let session = try await destination.open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) { try await bench.send(job, to: session, tries: 1) }
            #expect(error?.code == .networkFailure)
            #expect(!BridgeBench.shown(error).contains("swordfish"))
            #expect(signed.requests.first?.query == "?for=me&file=a%20b%26c.txt&type=text%2Fplain")
        }
    }
}
