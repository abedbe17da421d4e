public import Foundation
public import Uploads

/// A valid value of a kind that the programs write and read, to be damaged.
public struct FuzzSample: Sendable {
    /// Writes the undamaged value.
    public let written: @Sendable () throws -> Data
    public let damaged: @Sendable (inout Fuzz) throws -> Data
    /// Reads a value of this kind and returns a closure that writes it. The two steps are apart, because refusing to read is right, and
    /// failing to write a value that was read is a fault.
    public let read: @Sendable (Data) throws -> Writing

    public typealias Writing = @Sendable () throws -> Data

    public init<Value: Codable & Sendable>(_ value: Value) {
        written = { try WireJSON.encode(value) }
        damaged = { try $0.damaged(value) }
        read = { data in
            let value = try WireJSON.decode(Value.self, from: data)
            return { try WireJSON.encode(value) }
        }
    }

    /// Reads a value of this kind, and writes it again.
    public func rewritten(_ data: Data) throws -> Data { try read(data)() }
}

/// Valid values of every kind, in which every field is set. Of the events, the first has all optional fields.
public enum FuzzSamples {
    public static let time = Date(timeIntervalSince1970: 1_795_000_000.5)
    public static let error = UploadError(
        .rateLimited, "slow down", retry: .after(seconds: 3),
        response: ServerResponse(status: 429, headers: ["retry-after": "3"], body: Data("no".utf8)))
    public static let object = StoredObject(
        location: "s3://a/b", etag: "e", version: "v", size: 5, digests: digests,
        isKept: true, isServerSideCopy: true, verified: .etag)

    public static let digests = Digests(
        sha256: String(repeating: "ab", count: 32), crc64nvme: String(repeating: "cd", count: 8))

    public static let job: UploadJob = {
        var job = UploadJob(
            source: .staged(area: "a", name: "b"),
            destination: .named(DestinationName(unchecked: "photos"), key: "x/y.jpg"),
            contentType: "image/jpeg", size: 9_000_000, digests: digests,
            metadata: ["a": "1"],
            retry: RetryPolicy(maxAttempts: 3), enqueuedAt: time)
        job.properties = ObjectProperties(
            cacheControl: "no-store", contentDisposition: "inline", contentEncoding: "br", contentLanguage: "de",
            storageClass: "GLACIER", tags: ["k": "v"])
        job.ifExists = .rename
        job.batch = "b"
        job.client = "gallery"
        job.idempotencyKey = "k"
        job.notBefore = time + 1
        job.expiresAt = time + 86_400
        job.verify = true
        job.renamedFrom = .named(DestinationName(unchecked: "photos"), key: "x/z.jpg")
        job.unknown = ["later": ["deep": ["n": 3]]]
        return job
    }()

    public static var jobs: [UploadJob] {
        var serial = job
        serial.serial = SerialPosition(index: 3, after: JobID())
        var url = job
        url.source = .object(.url("https://host.example/a?b=c"), seen: object)
        url.destination = .url("https://host.example/d?secret")
        url.renamedFrom = .url("https://host.example/e")
        var inline = job
        inline.source = .inline(Data("abc".utf8))
        inline.size = 3
        var file = job
        file.source = .file(
            path: "/in/a.txt",
            identity: FileIdentity(
                modifiedAt: FileTime(nanoseconds: 1_700_000_000_123_456_789), inode: 7, fileSystem: 9))
        var bytes = job
        bytes.source = .file(path: FilePath(bytes: Array("/in/a%".utf8) + [0xFF, 0xC3]), identity: FileIdentity())
        return [job, serial, url, inline, file, bytes]
    }

    /// Of two stretches.
    public static let checksums: FileChecksums = {
        var checksums = FileChecksums()
        checksums.insert(CRC64NVME(1), of: 0..<8 << 20)
        checksums.insert(CRC64NVME(2), of: 16 << 20..<17 << 20)
        return checksums
    }()

    public static func baton(of job: UploadJob) -> Baton {
        var baton = Baton(job: job, round: 2, generation: 3)
        baton.slice = 4
        baton.attempts = 1
        baton.idleWaits = 2
        baton.state = UploadState(
            driver: "s3", payload: ["id": "u", "parts": ["a", 1]], readBack: ReadBack(of: object), bytesMissing: 7,
            isUntouched: true, checksums: checksums)
        baton.failures = [FailureRecord(at: time, attempt: 1, error: error)]
        baton.bytesSent = 1 << 40
        baton.activeSeconds = 1.5
        baton.startedAt = time
        baton.waitingSince = time
        baton.triedSince = time
        baton.unknown = ["later": 1]
        return baton
    }

    public static func events(of baton: Baton) -> [UploadEvent] {
        var events = EventKind.allCases.map { UploadEvent(kind: $0, of: baton, at: time) }
        for outcome in [
            Outcome.completed(object, response: error.response), .failed(error, state: baton.state), .cancelled,
        ] {
            events.append(UploadEvent(outcome: outcome, of: baton, at: time))
        }
        events[0].data.bytesDone = 5
        events[0].data.partBytes = 8
        events[0].data.bytesPerSecond = 1.5
        events[0].data.waitingUntil = time
        events[0].data.reason = "limited"
        return events
    }

    public static var filter: OrderFilter {
        var filter = OrderFilter(
            queue: .standard, destination: "d", batch: "b", endedUntil: time, statuses: [.queued], digits: "37b")
        (filter.idempotencyKey, filter.text, filter.client, filter.code) = ("k", "cat", "app", .noSpace)
        (filter.enqueuedSince, filter.enqueuedUntil, filter.endedSince) = (time, time, time)
        return filter
    }

    public static var orders: [UploadOrder] {
        [
            .init(.jobs(.cancel, [job.id]), by: "jo", at: time),
            .init(.matching(.runAgain, filter, atMost: 5), by: "jo", at: time),
            .init(.move([job.id], .index(3)), by: "jo", at: time),
            .init(.move([job.id], .before(JobID())), by: "jo", at: time),
            .init(.move([job.id], .after(JobID())), by: "jo", at: time),
            .init(.stopQueues([.standard]), by: "jo", at: time), .init(.startQueues([.standard]), by: "jo", at: time),
            .init(.drainWorkers(["host/1-a"]), by: "jo", at: time),
            .init(.resumeWorkers(["host/1-a"]), by: "jo", at: time),
            .init(.sweepStaging(dryRun: true), by: "jo", at: time),
            .init(
                .sweepDestination(DestinationName(unchecked: "photos"), olderThan: 7200, dryRun: false), by: "jo",
                at: time), .init(.ask([job.id, JobID()]), by: "app", at: time),
        ]
    }

    public static var report: DestinationReport {
        DestinationReport(
            worker: "w", destination: "photos", origin: "https://h", circuit: .open, until: time, error: "full",
            jobsInFlight: 3, jobsAtOnce: 64,
            partsInFlight: 4, limits: TransferLimits(jobs: 1, parts: 2, bytesPerSecond: 3, requestsPerSecond: 4),
            pace: .init(bytesPerSecond: 1.5, isHeld: true), at: time)
    }

    public static var workerReport: WorkerReport {
        WorkerReport(
            worker: "w", host: "h", version: "1.0.0", commit: "0123456789ab", queues: [.standard], state: .draining,
            slotsUsed: 1, slots: 2, jobs: [WorkerReport.RunningJob(id: job.id, since: time)], bytesPerSecond: 1.5,
            startedAt: time, at: time)
    }

    public static var answer: OrderAnswer {
        var sweep = SweepReport(dryRun: true, listed: 3)
        sweep.add(SweepReport.Item(name: "n", sessionID: "s", job: job.id, since: time, bytes: 5, reason: "no"))
        var answer = OrderAnswer(order: UUID(), sweep: sweep)
        answer.add([OrderAnswer.Job(id: job.id, reason: "no", round: 2)])
        return answer
    }

    public static var answers: [OrderAnswer] {
        var told = OrderAnswer(order: UUID())
        var known = ledgerJobs[0]
        known.trouble = known.baton.failures.last?.message
        var report = JobReport(known)
        report.note(bytesDone: 5, bytesPerSecond: 1.5, at: time)
        told.add([OrderAnswer.Job(id: job.id, report: report)])
        let whole = UploadOrder(.matching(.pause, OrderFilter(), atMost: nil), by: "jo", at: time)
        let part = whole.part(3, of: Shards(4) ?? .one)?.part
        return [answer, told, OrderAnswer(order: UUID(), notRecorded: "the disk is full").sharing(part)]
    }

    public static var entries: [ControlEntry] {
        var piece = SnapshotPiece(of: UUID(), number: 2, count: 3)
        piece.fences = [job.id: 4, JobID(): 5]
        piece.pauses = [job.id: 4]
        piece.stoppedQueues = [.standard]
        piece.drainedWorkers = ["host/1-a", "host/2-b"]
        piece.ledger = LedgerClaim(ledger: UUID(), term: 3, opening: UUID())
        return [
            .fence([job.id: 4]), .pause([job.id: 5]), .lift([job.id]), .forget([job.id: 6]), .queueStopped(.standard),
            .queueStarted(.standard), .workerDrained("host/1-a"), .workerResumed("host/1-a"), .snapshotBegins(UUID()),
            .snapshot(piece),
            .ledger(LedgerClaim(ledger: UUID(), term: 2, opening: UUID())), .marker(UUID()),
        ]
    }

    /// A job that waits to be issued anew, and a job that has ended.
    public static var ledgerJobs: [LedgerJob] {
        let baton = baton(of: job)
        var waiting = LedgerJob(baton, isWhole: true, at: time)
        waiting.status = .waiting
        waiting.waitingUntil = time
        waiting.reason = "retry"
        waiting.trouble = "full"
        waiting.wish = IssueWish(marker: IssueMarker(job: job.id, round: 2, generation: 3), verb: .resume)
        waiting.poisonCount = 2
        waiting.pausedThrough = 3
        waiting.line = .released
        waiting.hold = IssueHold(.policy, until: time)
        waiting.drops = try? WireJSON.decode(DropTally.self, from: Data(#"{"count": 3, "undelivered": 2}"#.utf8))
        var ended = LedgerJob(baton, isWhole: true, at: time)
        ended.status = .failed
        ended.end = RoundEnd(kind: .failed, event: "e", at: time, error: error)
        return [waiting, ended]
    }

    public static var envelope: MessageEnvelope {
        var envelope = MessageEnvelope(
            type: "upload.job.v1", contentType: "application/json", messageID: "m",
            headers: ["tenant": "x", "n": 3, "list": ["a", ["b": 1]]], queue: "q", exchange: "x", routingKey: "k",
            replayOf: 7, isRedacted: true)
        envelope.contentEncoding = "gzip"
        envelope.correlationID = "c"
        envelope.appID = "a"
        return envelope
    }

    public static let all: [FuzzSample] = {
        let batons = jobs.map { baton(of: $0) }
        var samples = jobs.map { FuzzSample($0) } + batons.map { FuzzSample($0) }
        samples += events(of: batons[0]).map { FuzzSample($0) }
        samples += orders.map { FuzzSample($0) }
        samples += entries.map { FuzzSample($0) }
        samples.append(FuzzSample(IssueMarker(job: job.id, round: 1, generation: 2)))
        samples.append(FuzzSample(report))
        samples.append(FuzzSample(workerReport))
        samples += answers.map { FuzzSample($0) }
        samples += ledgerJobs.map { FuzzSample($0) }
        samples.append(FuzzSample(envelope))
        return samples
    }()
}
