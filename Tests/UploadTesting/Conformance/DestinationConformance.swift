public import Foundation
import Synchronization
import Testing
public import Uploads

/// The rules that every destination must obey. Each driver's tests run them against a real server or directory.
public struct DestinationConformance: Sendable {
    /// Makes a fresh value each time, as another worker would.
    public var destination: @Sendable () throws -> any Destination
    /// Opens inline sources.
    public var sources: any SourceProvider
    public var reference: @Sendable (String) throws -> DestinationReference
    /// The bytes under a key, read without the driver; nil when there is no object.
    public var stored: @Sendable (String) async throws -> [UInt8]?
    /// The size of a part in bytes, for destinations that take several parts.
    public var partBytes: Int
    /// Whether a completed session is gone. Some servers still list it, and complete it again with the same result.
    public var forgetsCompletedSessions = true
    /// Whether a probe reports that a session is gone. With other drivers, opening the session reports it.
    public var looksForSessions = true

    public init(
        destination: @escaping @Sendable () throws -> any Destination, sources: any SourceProvider,
        reference: @escaping @Sendable (String) throws -> DestinationReference,
        stored: @escaping @Sendable (String) async throws -> [UInt8]?, partBytes: Int
    ) {
        self.destination = destination
        self.sources = sources
        self.reference = reference
        self.stored = stored
        self.partBytes = partBytes
    }

    public static func bytes(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        // The pattern repeats with a period that is coprime to all block sizes. It is quick in an unoptimized build too.
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

    /// Sends at most the given number of parts.
    /// - Parameter repeats: whether the driver may have to send a body again.
    public func send(
        _ parts: Int = .max, of job: UploadJob, to session: any UploadSession, repeats: Bool = false
    ) async throws {
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
        let bytes = told.load(ordering: .relaxed)
        #expect(bytes == sent || (repeats && bytes == 2 * sent), "progress tells the bytes that were sent")
        await source.close()
    }

    /// One upload from open to close.
    @discardableResult
    public func carry(
        _ job: UploadJob, resuming state: UploadState? = nil, condition: WriteCondition = .none, repeats: Bool = false
    ) async throws -> CompletedUpload {
        let session = try await destination().open(job, resuming: state)
        session.prepare(for: condition)
        try await send(of: job, to: session, repeats: repeats)
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
            #expect(try await stored(key) == bytes, "\(size) bytes")
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
            #expect(try await stored(name) == bytes, "\(name)")
        }
    }

    public func theLastOfTwoWins() async throws {
        try await carry(job(Self.bytes(partBytes * 2), key: "again"))
        let bytes = Self.bytes(7, seed: 9)
        try await carry(job(bytes, key: "again"))
        #expect(try await stored("again") == bytes)
    }

    /// Uploads fifty jobs at once, each with bytes of its own.
    /// - Parameter inANewDirectory: with false, an upload before them makes their directory. `rclone serve s3` needs that: a freshly
    ///   started one answers some of many requests for the same new directory with 500 ("Dir.Rename error: file does not exist").
    public func manyAtOnceArrive(inANewDirectory: Bool = true) async throws {
        if !inANewDirectory { try await carry(job([1], key: "many/first")) }
        func bytes(_ number: Int) -> [UInt8] { Self.bytes(10_000 + number, seed: UInt8(number)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { try await carry(job(bytes(number), key: "many/\(number)")) }
            }
            try await group.waitForAll()
        }
        for number in 0..<50 { #expect(try await stored("many/\(number)") == bytes(number), "\(number)") }
    }

    /// The source's error reaches the caller unchanged, and no incomplete object becomes visible.
    public func aSourceThatChangedIsRefused() async throws {
        let size = Int64(partBytes * 3)
        let job = UploadJob(source: .inline(Data()), destination: try reference("changed"), size: size)
        let source = CountedSource(size: size, changesAt: size / 2, bufferBytes: max(1, partBytes / 2))
        let session = try await destination().open(job, resuming: nil)
        let error = await #expect(throws: UploadError.self) {
            for part in session.missing { try await session.upload(part, from: source) { _ in } }
        }
        #expect(error?.code == .sourceChanged)
        #expect(error?.message == "it is another one: enqueue it again")
        await session.close()
        #expect(try await stored("changed") == nil)
        if let state = session.state { try await destination().discard(state, of: job) }
    }

    /// For destinations whose uploads can be resumed.
    public func anotherWorkerGoesOn() async throws {
        let bytes = Self.bytes(partBytes * 4 + 3)
        let job = try job(bytes, key: "resumed")
        let first = try await destination().open(job, resuming: nil)
        let state = try #require(first.state)
        try await send(2, of: job, to: first)
        await first.close()
        #expect(try await stored("resumed") == nil, "nothing is seen before it is whole")

        #expect(try await destination().probe(job, state: state) == .partial(state, beside: nil))
        let second = try await destination().open(job, resuming: state)
        #expect(second.missing.map(\.number) == [3, 4, 5])
        try await send(of: job, to: second)
        let completed = try await second.complete(.none)
        #expect(try await stored("resumed") == bytes)
        #expect(completed.object.digests.confirms(job.digests))

        #expect(
            try await second.complete(.none).object.withPlainTag == completed.object.withPlainTag,
            "completing twice is safe")
        guard case .complete(let found) = try await destination().probe(job, state: state) else {
            Issue.record("the job's own object is not recognised")
            return
        }
        #expect(found.object.withPlainTag == completed.object.withPlainTag)
        guard forgetsCompletedSessions else {
            let third = try await destination().open(job, resuming: state)
            #expect(third.missing.isEmpty)
            #expect(try await third.complete(.none).object.withPlainTag == completed.object.withPlainTag)
            return
        }
        let error = await #expect(throws: UploadError.self) { try await destination().open(job, resuming: state) }
        #expect(error?.code == .sessionExpired)
    }

    /// For destinations whose uploads can be resumed, that keep the job's id with the object and have conditional writes.
    public func whatLiesBesideASessionIsTold() async throws {
        let now = Date()
        let older = try job(Self.bytes(partBytes * 2), key: "beside", enqueuedAt: now - 60)
        let oldest = try job(Self.bytes(5), key: "beside", enqueuedAt: now - 120)
        let newer = try job(Self.bytes(7), key: "beside", enqueuedAt: now)
        let session = try await destination().open(older, resuming: nil)
        let state = try #require(session.state)
        try await send(of: older, to: session)
        #expect(try await destination().probe(older, state: state) == .partial(state, beside: nil))

        let first = try await carry(oldest).object
        guard case .partial(state, beside: let object?) = try await destination().probe(older, state: state) else {
            Issue.record("an older object beside the session is not told")
            return
        }
        #expect(object.etag == first.etag)

        // A newer job's object comes between the probe and the completing call.
        try await carry(newer)
        for condition in [WriteCondition.absent, WriteCondition(replacing: object)] {
            let error = await #expect(throws: UploadError.self) { try await session.complete(condition) }
            #expect(error?.code == .preconditionFailed)
            guard case .other(_, isNewer: true) = try await destination().probe(older, state: state) else {
                Issue.record("a newer job's object does not go before the session")
                return
            }
        }
        #expect(try await stored("beside") == Self.bytes(7), "nothing was overwritten")
        try await destination().discard(state, of: older)
    }

    /// For destinations whose uploads can be resumed.
    public func aDiscardedUploadLeavesNothing() async throws {
        let job = try job(Self.bytes(partBytes * 3), key: "discarded")
        let session = try await destination().open(job, resuming: nil)
        let state = try #require(session.state)
        try await send(1, of: job, to: session)
        try await destination().discard(state, of: job)
        try await destination().discard(state, of: job)
        #expect(
            try await destination().probe(job, state: state)
                == (looksForSessions ? .nothing : .partial(state, beside: nil)))
        let error = await #expect(throws: UploadError.self) { try await destination().open(job, resuming: state) }
        #expect(error?.code == .sessionExpired)
        try await carry(job)
        #expect(try await stored("discarded") == Self.bytes(partBytes * 3))
    }

    /// For destinations that keep the job's id with the object.
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
        #expect(try await stored("conditional") == Self.bytes(10))
        let etag = try #require(completed.object.etag)
        try await carry(second, condition: .unchanged(etag: etag), repeats: true)
        #expect(try await stored("conditional") == Self.bytes(11))
    }

    /// For destinations from which objects can be read.
    public func objectsAreReadBack() async throws {
        for size in [0, 1, partBytes * 3 + 7] {
            let bytes = Self.bytes(size, seed: 5)
            let job = try job(bytes, key: "read/\(size)")
            let object = try await carry(job).object
            for offset in Set([0, size / 2, max(0, size - 1)]) {
                #expect(
                    try await read(object, of: job, from: offset) == Array(bytes[offset...]), "\(size) from \(offset)")
            }
        }
        let missing = try job([1], key: "read/nothing")
        let error = await #expect(throws: UploadError.self) {
            try await read(StoredObject(location: "nowhere"), of: missing, from: 0)
        }
        #expect(error?.code == .destinationNotFound)
    }

    /// For destinations from which objects can be read: the receiver of the bytes may stop the reading.
    public func readingStopsWhenItIsToldTo() async throws {
        let job = try job(Self.bytes(partBytes * 3), key: "read/stopped")
        let object = try await carry(job).object
        let readable = try #require(try destination() as? any ReadableDestination)
        let count = Atomic<Int>(0)
        let error = await #expect(throws: UploadError.self) {
            try await readable.read(object, of: job, from: 0) { _ throws(UploadError) in
                count.add(1, ordering: .relaxed)
                throw UploadError(.checksumMismatch, "it differs: upload it again")
            }
        }
        #expect(error?.code == .checksumMismatch)
        #expect(count.load(ordering: .relaxed) == 1)
    }

    private func read(_ object: StoredObject, of job: UploadJob, from offset: Int) async throws -> [UInt8] {
        let readable = try #require(try destination() as? any ReadableDestination)
        let taken = Mutex<[UInt8]>([])
        try await readable.read(object, of: job, from: Int64(offset)) { buffer throws(UploadError) in
            taken.withLock { $0 += buffer }
        }
        return taken.withLock { $0 }
    }
}
