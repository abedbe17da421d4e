public import Foundation
import Synchronization
import Testing
public import Uploads

/// What every destination must do, run by each driver's tests against a real server or directory.
public struct DestinationConformance: Sendable {
    /// A fresh value each time, as another worker would have it.
    public var destination: @Sendable () throws -> any Destination
    /// Opens inline sources.
    public var sources: any SourceProvider
    public var reference: @Sendable (String) throws -> DestinationReference
    /// What lies under a key, read past the driver; nil when nothing does.
    public var stored: @Sendable (String) throws -> [UInt8]?
    /// Bytes of a part, for destinations that take several.
    public var partBytes: Int

    public init(
        destination: @escaping @Sendable () throws -> any Destination, sources: any SourceProvider,
        reference: @escaping @Sendable (String) throws -> DestinationReference,
        stored: @escaping @Sendable (String) throws -> [UInt8]?, partBytes: Int
    ) {
        self.destination = destination
        self.sources = sources
        self.reference = reference
        self.stored = stored
        self.partBytes = partBytes
    }

    public static func bytes(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        // A period that is prime to all block sizes, repeated: quick in an unoptimised build too.
        var state = UInt32(seed) | 1
        let period = (0..<min(count, 65_521)).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count { bytes += period.prefix(count - bytes.count) }
        return bytes
    }

    public func job(_ bytes: [UInt8], key: String, enqueuedAt: Date = Date()) throws -> UploadJob {
        UploadJob(
            source: .inline(Data(bytes)), destination: try reference(key), contentType: "text/plain",
            size: Int64(bytes.count), digests: Digests(crc64nvme: CRC64NVME(of: bytes).hexadecimal),
            enqueuedAt: enqueuedAt)
    }

    /// Sends at most so many parts.
    public func send(_ parts: Int = .max, of job: UploadJob, to session: any UploadSession) async throws {
        guard case .claimed(let source) = try await sources.claim(job) else {
            Issue.record("an inline source can always be claimed")
            return
        }
        let told = Atomic<Int>(0)
        var sent = 0
        for part in session.missing.prefix(parts) {
            try await session.upload(part, from: source) { told.add($0, ordering: .relaxed) }
            sent += Int(part.size)
        }
        #expect(told.load(ordering: .relaxed) == sent, "progress tells the bytes that were sent")
        await source.close()
    }

    /// One upload from open to close.
    @discardableResult
    public func carry(
        _ job: UploadJob, resuming state: UploadState? = nil, condition: WriteCondition = .none
    ) async throws -> CompletedUpload {
        let session = try await destination().open(job, resuming: state)
        session.prepare(for: condition)
        try await send(of: job, to: session)
        #expect(session.missing.isEmpty)
        let completed = try await session.complete(condition)
        await session.close()
        return completed
    }

    public func edgeSizesArrive() async throws {
        for size in [0, 1, partBytes - 1, partBytes, partBytes + 1, partBytes * 3] {
            let bytes = Self.bytes(size)
            let key = "edge/\(size)"
            let completed = try await carry(job(bytes, key: key))
            #expect(try stored(key) == bytes, "\(size) bytes")
            #expect(completed.object.size == Int64(size))
        }
    }

    public func oddNamesArrive() async throws {
        let names = [
            "with space", "a+b", "100%", "%41", "Grüße-日本語", "-leading", "a&b=c?d#e", "semi;colon", "'quote\"",
            ".hidden",
            "deep/er/still",
        ]
        for name in names {
            let bytes = Array(name.utf8)
            try await carry(job(bytes, key: name))
            #expect(try stored(name) == bytes, "\(name)")
        }
    }

    public func theLastOfTwoWins() async throws {
        try await carry(job(Self.bytes(partBytes * 2), key: "again"))
        let bytes = Self.bytes(7, seed: 9)
        try await carry(job(bytes, key: "again"))
        #expect(try stored("again") == bytes)
    }

    /// For destinations that can be gone on with.
    public func anotherWorkerGoesOn() async throws {
        let bytes = Self.bytes(partBytes * 4 + 3)
        let job = try job(bytes, key: "resumed")
        let first = try await destination().open(job, resuming: nil)
        let state = try #require(first.state)
        try await send(2, of: job, to: first)
        await first.close()
        #expect(try stored("resumed") == nil, "nothing is seen before it is whole")

        #expect(try await destination().probe(job, state: state) == .partial(state))
        let second = try await destination().open(job, resuming: state)
        #expect(second.missing.map(\.number) == [3, 4, 5])
        try await send(of: job, to: second)
        let completed = try await second.complete(.none)
        #expect(try stored("resumed") == bytes)
        #expect(completed.object.digests.confirms(job.digests))

        #expect(try await second.complete(.none).object == completed.object, "completing twice is safe")
        guard case .complete(let found) = try await destination().probe(job, state: state) else {
            Issue.record("the job's own object is not recognised")
            return
        }
        #expect(found.object == completed.object)
        let error = await #expect(throws: UploadError.self) { try await destination().open(job, resuming: state) }
        #expect(error?.code == .sessionExpired)
    }

    /// For destinations that can be gone on with.
    public func aDiscardedUploadLeavesNothing() async throws {
        let job = try job(Self.bytes(partBytes * 3), key: "discarded")
        let session = try await destination().open(job, resuming: nil)
        let state = try #require(session.state)
        try await send(1, of: job, to: session)
        try await destination().discard(state, of: job)
        try await destination().discard(state, of: job)
        #expect(try await destination().probe(job, state: state) == .nothing)
        let error = await #expect(throws: UploadError.self) { try await destination().open(job, resuming: state) }
        #expect(error?.code == .sessionExpired)
        try await carry(job)
        #expect(try stored("discarded") == Self.bytes(partBytes * 3))
    }

    /// For destinations that keep the job's id beside the object.
    public func probesTellWhoseObjectItIs() async throws {
        let now = Date()
        let older = try job(Self.bytes(10), key: "probed", enqueuedAt: now - 60)
        let newer = try job(Self.bytes(20), key: "probed", enqueuedAt: now)
        #expect(try await destination().probe(older, state: nil) == .nothing)
        try await carry(older)
        guard case .other(let object, isNewer: false) = try await destination().probe(newer, state: nil) else {
            Issue.record("an older job's object is not told as such")
            return
        }
        #expect(object.size == 10)
        try await carry(newer)
        guard case .other(_, isNewer: true) = try await destination().probe(older, state: nil) else {
            Issue.record("a newer job's object is not told as such")
            return
        }
    }

    /// For destinations with conditional writes.
    public func conditionsHold() async throws {
        let first = try job(Self.bytes(10), key: "conditional")
        let completed = try await carry(first, condition: .absent)
        let second = try job(Self.bytes(11), key: "conditional")
        for condition in [WriteCondition.absent, .unchanged(etag: "no such thing")] {
            let error = await #expect(throws: UploadError.self) { try await carry(second, condition: condition) }
            #expect(error?.code == .preconditionFailed)
        }
        #expect(try stored("conditional") == Self.bytes(10))
        let etag = try #require(completed.object.etag)
        try await carry(second, condition: .unchanged(etag: etag))
        #expect(try stored("conditional") == Self.bytes(11))
    }
}
