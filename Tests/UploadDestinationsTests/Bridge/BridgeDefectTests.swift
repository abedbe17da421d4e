import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Known defects of Bridge's own clients, which this driver does not have.
@Suite(.timeLimit(.minutes(10)))
struct BridgeDefectTests {
    @Test func `defect: a network error on the PUT failed the upload and deleted the copy`() async throws {
        try await BridgeBench.with { bench in
            bench.server.script { $0.fault = { call, count in call == .put && count == 1 ? .cut : nil } }
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            let source = try await bench.source(of: job)
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.missing[0], from: source) { _ in }
            }
            #expect(error?.code == .networkFailure && error?.retry == .afterBackoff)
            try await bench.send(job, to: session)
            _ = try await session.complete(.none)
            #expect(bench.server.uploads.count == 1)
            #expect(bench.server.count(.request) == 1, "the URL is as good as it was")
        }
    }

    @Test(arguments: [500, 502, 503, 429])
    func `defect: a failed complete call counted as a failed upload`(status: Int) async throws {
        try await BridgeBench.with { bench in
            bench.server.script {
                $0.fault = { call, count in call == .complete && count == 1 ? .answer(status) : nil }
            }
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.retry == .afterBackoff)
            let state = try #require(session.state, "what is there travels on")
            let later = try await bench.destination().open(job, resuming: state)
            _ = try await later.complete(.none)
            #expect(bench.server.count(.put) == 1)
            #expect(bench.server.count(.complete) == 2)
        }
    }

    @Test func `defect: the whole file was read into memory for its MD5`() async throws {
        // The digest reads a buffer at a time, and is computed once for a slice, however often the bytes are sent.
        try await BridgeBench.with { bench in
            bench.server.script { $0.fault = { call, count in call == .put && count < 3 ? .cut : nil } }
            let job = try bench.job(3_000_000)
            let source = CountedSource(size: job.size, seed: 1)
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session, from: source)
            _ = try await session.complete(.none)
            #expect(bench.server.uploads.first?.bytes == DestinationConformance.bytes(3_000_000))
            #expect(source.readings == 4, "once for the digest, and once for each PUT")
            #expect(source.largestBufferBytes <= CountedSource.bufferBytes)
        }
    }

    @Test func `a digest of a large file takes a buffer at a time`() async throws {
        let size: Int64 = 64 << 20
        let source = CountedSource(size: size, seed: 3)
        let md5 = try await SourceDigest.md5(of: source)
        #expect(md5.count == 16)
        #expect(source.bytesRead == size && source.readings == 1)
        #expect(source.mostBuffersAhead <= 1, "no buffer is asked for before the one before was taken in")
    }

    @Test func `the digest is that of RFC 1321`() async throws {
        // The vectors of RFC 1321, appendix A.5.
        for (text, expected) in [
            ("", "1B2M2Y8AsgTpgAmY7PhCfg=="), ("abc", "kAFQmDzST7DWlj99KOF/cg=="),
            ("message digest", "+WtpfXy3k41SWi8xqvFh0A=="),
        ] {
            #expect(ReferenceMD5.base64(Array(text.utf8)) == expected)
            var job = UploadJob(
                source: .inline(Data(text.utf8)), destination: .named(DestinationName(unchecked: "a"), key: "b"),
                size: Int64(text.utf8.count))
            job.contentType = "text/plain"
            let source = try await BridgeBench.source(of: job)
            #expect(try await SourceDigest.md5(of: source).base64EncodedString() == expected)
        }
        for count in [55, 56, 63, 64, 65, 1000] {
            let source = CountedSource(size: Int64(count), seed: 9)
            let expected = ReferenceMD5.base64(DestinationConformance.bytes(count, seed: 9))
            #expect(try await SourceDigest.md5(of: source).base64EncodedString() == expected)
        }
    }

    @Test func `defect: a stale token was replayed`() async throws {
        try await BridgeBench.with { bench in
            let destination = try bench.destination()
            let conformance = bench.conformance(destination)
            try await conformance.carry(bench.job(1000, key: "first", seed: 1))
            bench.server.endSession()
            try await conformance.carry(bench.job(1000, key: "second", seed: 2))
            #expect(bench.server.count(.signIn) == 2)
            #expect(bench.server.refusedTokens.count == 1, "each is refused once, and never sent again")
        }
    }

    @Test func `a session that ends under fifty jobs is renewed once`() async throws {
        try await BridgeBench.with { bench in
            let destination = try bench.destination()
            let conformance = bench.conformance(destination)
            try await conformance.carry(bench.job(10, key: "before", seed: 200))
            bench.server.endSession()
            try await conformance.manyAtOnceArrive()
            #expect(bench.server.count(.signIn) == 2)
        }
    }

    @Test func `a session that ends between two calls is renewed in the middle`() async throws {
        try await BridgeBench.with { bench in
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            bench.server.endSession()
            _ = try await session.complete(.none)
            #expect(bench.server.count(.put) == 1 && bench.server.count(.signIn) == 2)
        }
    }

    @Test func `defect: a refused token led to signing in without end`() async throws {
        try await BridgeBench.with { bench in
            bench.server.script { $0.fault = { call, _ in call == .request ? .answer(401) : nil } }
            let destination = try bench.destination()
            let job = try bench.job()
            let session = try await destination.open(job, resuming: nil)
            let source = try await bench.source(of: job)
            let error = await #expect(throws: UploadError.self) {
                try await session.upload(session.missing[0], from: source) { _ in }
            }
            #expect(error?.code == .wrongCredentials)
            #expect(bench.server.count(.signIn) == 2 && bench.server.count(.request) == 2)
            let next = await #expect(throws: UploadError.self) {
                try await session.upload(session.missing[0], from: source) { _ in }
            }
            guard case .pause? = next?.retry else {
                Issue.record("\(String(describing: next))")
                return
            }
            #expect(bench.server.count(.signIn) == 2 && bench.server.count(.request) == 2, "for a while")
        }
    }

    @Test func `defect: a URL that keeps being refused was retried for ever`() async throws {
        // Each try counts among the part's tries, and each round of tries is one attempt of the job's policy: the driver itself does not loop.
        try await BridgeBench.with { bench in
            bench.server.script { $0.fault = { call, _ in call == .put ? .answer(403, body: "AccessDenied") : nil } }
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            let source = try await bench.source(of: job)
            for _ in 0..<3 {
                let error = await #expect(throws: UploadError.self) {
                    try await session.upload(session.missing[0], from: source) { _ in }
                }
                #expect(error?.code == .accessDenied && error?.retry == .afterBackoff)
            }
            #expect(bench.server.count(.put) == 3 && bench.server.count(.request) == 3)
        }
    }

    @Test(arguments: [403, 409, 500, 503])
    func `what the store refuses begins again at the session step`(status: Int) async throws {
        try await BridgeBench.with { bench in
            bench.server.script { $0.fault = { call, count in call == .put && count == 1 ? .answer(status) : nil } }
            let job = try bench.job()
            try await { session in
                try await bench.send(job, to: session)
                _ = try await session.complete(.none)
            }(try await bench.destination().open(job, resuming: nil))
            #expect(bench.server.count(.request) == 2 && bench.server.count(.put) == 2)
            #expect(bench.server.uploads.count == 1, "Bridge gives the same upload for the same file")
        }
    }

    @Test func `a URL that has expired is asked for again, and the job is not failed`() async throws {
        try await BridgeBench.with { bench in
            bench.server.script { $0.expiredURLs = 2 }
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            _ = try await session.complete(.none)
            #expect(bench.server.count(.request) == 3 && bench.server.count(.put) == 3)
        }
    }

    @Test func `a URL that is known to have expired is not tried again`() async throws {
        try await BridgeBench.with { bench in
            bench.server.script {
                // A store whose clock differs: a fresh ticket is used once in any case.
                $0.expiresSeconds = -60
                $0.fault = { call, count in call == .put && count == 1 ? .cut : nil }
            }
            let job = try bench.job()
            let session = try await bench.destination().open(job, resuming: nil)
            try await bench.send(job, to: session)
            #expect(bench.server.count(.request) == 2 && bench.server.count(.put) == 2)
        }
    }

    @Test func `a digest in base64 has no line end, which made uploads stick for ever`() async throws {
        try await BridgeBench.with { bench in
            try await bench.conformance(bench.destination()).carry(bench.job())
            let md5 = try #require(bench.server.uploads.first?.contentMD5)
            #expect(md5.count == 24 && md5.allSatisfy { $0.isASCII && !$0.isWhitespace })
        }
    }
}
