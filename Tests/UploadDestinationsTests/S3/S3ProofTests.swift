import Foundation
import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Evidence that an object holds the sent bytes, on servers that check checksums and on one that does not.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3ProofTests {
    private static let part = S3Bench.partBytes

    private func run(
        _ endpoint: S3Endpoint, _ change: (inout S3Configuration) -> Void,
        _ body: (S3Bench, HTTPFaultProxy, S3Destination, S3Configuration) async throws -> Void
    ) async throws {
        try await S3Bench.with(endpoint) { bench in
            let proxy = try HTTPFaultProxy(to: try #require(URLComponents(string: endpoint.url)?.port))
            var configuration = bench.configuration(by: endpoint.through(port: proxy.port))
            change(&configuration)
            try await body(bench, proxy, try bench.destination(configuration), configuration)
            proxy.stop()
        }
    }

    private func claimed(_ bench: S3Bench, _ job: UploadJob) async throws -> any UploadSource {
        guard case .claimed(let source) = try await bench.conformance().sources.claim(job) else {
            throw DidNotHappen("an inline source can always be claimed")
        }
        return source
    }

    private func write(
        _ bench: S3Bench, _ session: any UploadSession, _ job: UploadJob
    ) async throws -> StoredObject.Proof? {
        try await bench.conformance().send(of: job, to: session)
        return try await session.complete(.none).object.verified
    }

    // MARK: One PUT

    /// rclone neither compares nor reports checksums; its ETag of one PUT is the MD5.
    @Test(arguments: [S3Configuration.ETagMeaning?.none, .md5, .opaque])
    func `a bit that flips on the way is a failure where ETags are said to be MD5`(
        meaning: S3Configuration.ETagMeaning?
    ) async throws {
        let server = try await RcloneS3Server.start(streamsParts: false)
        try await run(server.endpoint, { $0.etag = meaning }) { bench, proxy, destination, _ in
            let bytes = DestinationConformance.bytes(100_000)
            let job = try bench.job(bytes, key: "flipped")
            proxy.setRule { $0.method == "PUT" ? .flipRequestBit(at: 70_000) : .forward }
            let session = try await destination.open(job, resuming: nil)
            if meaning == .md5 {
                let error = await #expect(throws: UploadError.self) { _ = try await write(bench, session, job) }
                // The error has the answer's status, which tells the state machine that a wrong object is stored.
                #expect(error?.code == .checksumMismatch && error?.response?.status == 200, "\(error as Any)")
                #expect(error?.message.contains("MD5") == true)
            } else {
                #expect(try await write(bench, session, job) == nil, "nothing is claimed")
            }
            proxy.setRule { _ in .forward }
            let again = try await destination.open(job, resuming: nil)
            #expect(try await write(bench, again, job) == (meaning == .opaque ? nil : .etag))
            #expect(try await bench.observer.get(bench.bucket, "flipped") == bytes)
        }
    }

    @Test(arguments: [0, 1, 262_144, 262_145])
    func `small and empty files are proved by their ETag, too`(size: Int) async throws {
        let server = try await RcloneS3Server.start()
        try await run(server.endpoint, { _ in }) { bench, _, destination, _ in
            let job = try bench.job(DestinationConformance.bytes(size), key: "small")
            #expect(try await write(bench, destination.open(job, resuming: nil), job) == .etag)
        }
    }

    @Test func `with a customer's key no ETag is an MD5`() {
        var configuration = S3Configuration(bucket: "b")
        configuration.etag = .md5
        #expect(configuration.etagMeaning == .md5)
        configuration.object.encryption = .managed
        #expect(configuration.etagMeaning == .md5)
        configuration.object.encryption = .customer(key: Data(count: 32))
        #expect(configuration.etagMeaning == .opaque)
        configuration.object.encryption = .kms(keyID: nil, isDual: false, usesBucketKey: true)
        #expect(configuration.etagMeaning == .opaque)
    }

    // MARK: Parts

    /// Without checksums, OpenStack Swift is a server that proves parts by ETags only.
    private func parts(
        _ meaning: S3Configuration.ETagMeaning?,
        _ body: (S3Bench, HTTPFaultProxy, S3Destination, UploadJob) async throws -> Void
    ) async throws {
        let server = try await OpenStackSwiftServer.shared()
        let change: (inout S3Configuration) -> Void = { configuration in
            configuration.checksum = .none
            configuration.etag = meaning
        }
        try await run(server.endpoint, change) { bench, proxy, destination, _ in
            let job = try bench.job(DestinationConformance.bytes(4 * Self.part + 5), key: "parts")
            try await body(bench, proxy, destination, job)
        }
    }

    @Test func `a part in which a bit flipped is sent again, and its object is proved`() async throws {
        try await parts(.md5) { bench, proxy, destination, job in
            let session = try await destination.open(job, resuming: nil)
            proxy.setRule { $0.partNumber == 2 ? .flipRequestBit(at: 4 << 20) : .forward }
            let error = await #expect(throws: UploadError.self) {
                try await bench.conformance().send(of: job, to: session)
            }
            #expect(error?.code == .checksumMismatch && error?.retry == .afterBackoff, "\(error as Any)")
            #expect(error?.message.contains("part 2") == true && error?.response == nil)
            proxy.setRule { _ in .forward }
            #expect(try await write(bench, session, job) == .etag)
            let stored = try await bench.observer.get(bench.bucket, "parts")
            #expect(stored == DestinationConformance.bytes(Int(job.size)))
        }
    }

    @Test(arguments: [S3Configuration.ETagMeaning?.none, .md5])
    func `another worker knows which parts were proved`(meaning: S3Configuration.ETagMeaning?) async throws {
        try await parts(meaning) { bench, proxy, destination, job in
            let session = try await destination.open(job, resuming: nil)
            let begun = try #require(session.state)
            try await bench.conformance().send(3, of: job, to: session)
            let state = try #require(session.state)
            #expect(try S3State(state).proved.count == 3)
            // As if the worker had died before it handed over its evidence.
            let source = try await claimed(bench, job)
            let other = try await bench.destination(destination.configuration).open(job, resuming: begun)
            try await other.verify(against: source)
            let toCompare = meaning == .md5 ? [1, 2, 3] : []
            #expect(other.missing.map(\.number) == toCompare + [4, 5])
            proxy.forget()
            for part in other.missing.prefix(toCompare.count) { try await other.upload(part, from: source) { _ in } }
            #expect(proxy.requests.isEmpty, "they are read and compared, and not sent")
            #expect(other.missing.map(\.number) == [4, 5])
            #expect(try S3State(#require(other.state)).proved.count == toCompare.count)
            let resumed = try await bench.destination(destination.configuration).open(job, resuming: state)
            try await resumed.verify(against: source)
            #expect(try await write(bench, resumed, job) == .etag)
        }
    }

    @Test func `a part that another worker sent, and that is not the file's, is sent again`() async throws {
        try await parts(.md5) { bench, proxy, destination, job in
            let session = try await destination.open(job, resuming: nil)
            let begun = try #require(session.state)
            proxy.setRule { $0.partNumber == 1 ? .flipRequestBit(at: 5) : .forward }
            // The state of a worker that ignores ETags.
            var other = destination.configuration
            other.etag = .opaque
            let blind = try await bench.destination(other).open(job, resuming: begun)
            try await bench.conformance().send(2, of: job, to: blind)
            proxy.setRule { _ in .forward }
            let source = try await claimed(bench, job)
            let resumed = try await destination.open(job, resuming: blind.state)
            try await resumed.verify(against: source)
            proxy.forget()
            for part in resumed.missing { try await resumed.upload(part, from: source) { _ in } }
            #expect(proxy.requests.compactMap(\.request.partNumber) == [1, 3, 4, 5])
            #expect(try await resumed.complete(.none).object.verified == .etag)
        }
    }

    // MARK: Checksums

    @Test(arguments: [3, 2 * part])
    func `a checksum that comes back proves the object, and no MD5 is taken any more`(size: Int) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await run(server.endpoint, { _ in }) { bench, proxy, destination, configuration in
            proxy.setRule { request in
                guard let name = S3Digest.header(configuration.checksum) else { return .forward }
                guard request.method == "PUT", let sent = request.header(name) else { return .forward }
                return .rewriteAnswer { $0.setHeader(name, sent) }
            }
            let job = try bench.job(DestinationConformance.bytes(size), key: "checked")
            let operation = size == 3 ? "PutObject" : "UploadPart"
            #expect(destination.client.takesMD5(of: operation))
            let proof = try await write(bench, destination.open(job, resuming: nil), job)
            // Swift reports no checksum of an object in parts, and the MD5 of the first part alone does not prove the whole.
            #expect(proof == (size == 3 ? .checksum : nil))
            #expect(!destination.client.takesMD5(of: operation))
            proxy.setRule { _ in .forward }
            _ = try await write(bench, destination.open(job, resuming: nil), job)
            #expect(destination.client.takesMD5(of: operation), "it says nothing any more")
        }
    }

    @Test(arguments: [S3Configuration.Checksum.crc64nvme, .crc32c, .sha256], [true, false])
    func `the checksum that comes back for one PUT is compared, whichever it is`(
        checksum: S3Configuration.Checksum, isRight: Bool
    ) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await run(server.endpoint, { $0.checksum = checksum }) { bench, proxy, destination, _ in
            let name = try #require(S3Digest.header(checksum))
            proxy.setRule { request in
                guard request.method == "PUT", let sent = request.header(name) else { return .forward }
                return .rewriteAnswer { $0.setHeader(name, isRight ? sent : "AAAA" + sent.dropFirst(4)) }
            }
            let job = try bench.job([1, 2, 3], key: "told")
            let session = try await destination.open(job, resuming: nil)
            if isRight {
                #expect(try await write(bench, session, job) == .checksum)
            } else {
                let error = await #expect(throws: UploadError.self) { _ = try await write(bench, session, job) }
                #expect(error?.code == .checksumMismatch, "\(error as Any)")
            }
        }
    }

    @Test func `parts of a job without digests are compared with what was read of the whole`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await run(server.endpoint, { _ in }) { bench, _, destination, _ in
            let whole = try bench.job(DestinationConformance.bytes(2 * Self.part), key: "unread")
            var job = whole
            job.digests = Digests()
            let session = try await destination.open(job, resuming: nil)
            try await bench.conformance().send(of: job, to: session)
            session.note(Digests(crc64nvme: "0000000000000001"))
            let error = await #expect(throws: UploadError.self) { try await session.complete(.none) }
            #expect(error?.code == .checksumMismatch)
            session.note(whole.digests)
            #expect(try await session.complete(.none).object.digests == whole.digests)
        }
    }

    @Test func `however many parts are broken, the state fits a message`() throws {
        var state = S3State(
            uploadID: String(repeating: "u", count: S3Limits.uploadIDBytesMaximum), partBytes: 8 << 20,
            checksum: .sha256)
        state.broken = Set(1...10_000)
        #expect(state.uploadState.fitsMessages)
        #expect(try S3State(state.uploadState).broken == Set(1...S3State.brokenMaximum))
        let foreign: [JSONValue] = [.integer(-5), .integer(.max), .integer(0), .integer(10_001), .integer(7)]
        var payload = S3State(uploadID: "u", partBytes: 8 << 20, checksum: .none).uploadState.payload
        if case .object(var fields) = payload {
            fields["broken"] = .array(foreign)
            payload = .object(fields)
        }
        #expect(try S3State(UploadState(driver: "s3", payload: payload)).broken == [7])
    }

    @Test func `a part whose checksum comes back otherwise is sent again`() async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await run(server.endpoint, { _ in }) { bench, proxy, destination, configuration in
            proxy.setRule { request in
                guard request.partNumber == 1, let name = S3Digest.header(configuration.checksum) else {
                    return .forward
                }
                return .rewriteAnswer { $0.setHeader(name, "AAAAAAAAAAA=") }
            }
            let job = try bench.job(DestinationConformance.bytes(2 * Self.part), key: "differs")
            let session = try await destination.open(job, resuming: nil)
            let error = await #expect(throws: UploadError.self) {
                try await bench.conformance().send(of: job, to: session)
            }
            #expect(error?.code == .checksumMismatch && error?.retry == .afterBackoff)
            // The server lists the part: the next worker knows that it is broken.
            let state = try #require(session.state)
            proxy.setRule { _ in .forward }
            let resumed = try await bench.destination(destination.configuration).open(job, resuming: state)
            #expect(resumed.missing.contains { $0.number == 1 })
            try await bench.conformance().send(of: job, to: resumed)
            #expect(try S3State(#require(resumed.state)).broken.isEmpty)
            _ = try await resumed.complete(.none)
            #expect(try await bench.observer.head(bench.bucket, "differs")?.size == Int(job.size))
        }
    }

    // MARK: Sources over a network

    private final class CountedSource: UploadSource {
        let size: Int64
        let isFetched: Bool
        let readings = Atomic(0)

        init(_ size: Int64, isFetched: Bool) {
            self.size = size
            self.isFetched = isFetched
        }

        func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
            readings.add(1, ordering: .relaxed)
            let count = Int(range.count)
            return SourceBuffers { number in
                let begin = number << 20
                return begin < count ? [UInt8](repeating: 7, count: min(1 << 20, count - begin)) : nil
            }
        }

        func verifyUnchanged() async throws(UploadError) {}
        func close() async {}
    }

    @Test(arguments: [(8 << 20, true, 1), (8 << 20, false, 2), (24 << 20, true, 2)])
    func `what is fetched is read once, as far as it may be kept`(
        size: Int, isFetched: Bool, readings: Int
    ) async throws {
        let server = try await OpenStackSwiftServer.shared()
        try await run(server.endpoint, { $0.multipartThresholdBytes = 64 << 20 }) { bench, _, destination, _ in
            var job = try bench.job([1], key: "fetched")
            job.size = Int64(size)
            job.digests = Digests()
            let source = CountedSource(job.size, isFetched: isFetched)
            let session = try await destination.open(job, resuming: nil)
            try await session.upload(session.plan.part(1), from: source) { _ in }
            #expect(source.readings.load(ordering: .relaxed) == readings)
            let stored = try await bench.observer.get(bench.bucket, "fetched")
            #expect(stored == [UInt8](repeating: 7, count: size))
        }
    }

    @Test func `little is kept at once, and what is done with is given back`() {
        let kept = KeptBytes()
        #expect(kept.share(of: KeptBytes.partBytesMaximum + 1) == nil)
        var shares = (0..<4).map { _ in kept.share(of: KeptBytes.partBytesMaximum) }
        #expect(shares.allSatisfy { $0 != nil } && kept.share(of: 1) == nil)
        shares.removeLast()
        #expect(kept.share(of: KeptBytes.partBytesMaximum) != nil)
    }

    // MARK: Lost answers

    @Test(arguments: [IfExists.replace, .fail])
    func `what a lost answer leaves unproved is sent again where ETags are MD5`(ifExists: IfExists) async throws {
        let server = try await RcloneS3Server.start(streamsParts: false)
        try await run(server.endpoint, { $0.etag = .md5 }) { bench, proxy, destination, _ in
            var job = try bench.job(DestinationConformance.bytes(100_000), key: "lost")
            job.ifExists = ifExists
            proxy.setRule { $0.method == "PUT" ? .forwardThenCut : .forward }
            let session = try await destination.open(job, resuming: nil)
            await #expect(throws: UploadError.self) { _ = try await write(bench, session, job) }
            proxy.setRule { _ in .forward }
            let probed = try await destination.probe(job, state: nil)
            guard case .complete(let upload) = probed else { throw DidNotHappen("it lies there: \(probed)") }
            // An object that must not be overwritten stays: the worker can only report that it exists.
            #expect(upload.isUnproved == (ifExists == .replace) && upload.object.verified == nil)
        }
    }
}
