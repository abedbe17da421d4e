import Foundation
import UploadsAPI

/// Each object of the API with a value in every field.
extension API {
    private static let date = Date(timeIntervalSince1970: 1_790_000_000)
    private static let id = "019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90"

    private static let error = Error(code: "rejected", message: "no", status: 403)

    static let job = Job(
        id: id, status: "running", since: date, queue: "video", priority: "normal", source: "staged:cat.jpg",
        destination: "photos", target: "photos:cat.jpg", contentType: "image/jpeg", size: 5, crc64nvme: "11",
        sha256: "00",
        metadata: ["team": "web"], batch: "b", idempotencyKey: "k", enqueuedAt: date, notBefore: date, expiresAt: date,
        round: 1, generation: 1, slice: 1, attempts: 1, attemptsMaximum: 3, bytesSent: 5, activeSeconds: 1.5,
        startedAt: date, waitingUntil: date, reason: "retry", line: "released", isPaused: false, isCancelling: false,
        failures: [Failure(at: date, attempt: 1, code: "rejected", message: "no")], endedAt: date, error: error,
        forgottenAt: date,
        progress: Progress(bytesDone: 1, bytesPerSecond: 2.5, partBytes: 8, at: date, secondsLeft: 3.5))

    static let event = Event(
        sequence: 1, id: "\(id).1.1.0.completed", type: "upload.completed", time: date, job: id, queue: "video",
        destination: "photos", target: "photos:cat.jpg", size: 5, round: 1, generation: 1, slice: 1, attempts: 1,
        bytesSent: 5, waitingUntil: date, reason: "retry", error: error,
        object: Object(
            location: "/cat.jpg", etag: "e", version: "v", size: 5, isOvertaken: false, isKept: false,
            isServerSideCopy: true,
            verified: "etag")
    )

    static let jobProgress = JobProgress(
        job: id, queue: "video", destination: "photos", target: "photos:cat.jpg", size: 5, bytesDone: 1,
        bytesPerSecond: 2.5, at: date, secondsLeft: 3.5)

    static let delivery = Delivery(
        id: 1, delegate: "hook", event: "\(id).1.ended", job: id, status: "waiting", attempts: 1, createdAt: date,
        dueAt: date, deliveredAt: date, error: "no")

    static let attempt = Attempt(at: date, seconds: 0.5, status: 500, answer: "no", error: "no")

    static let jobStory = JobStory(
        job: job,
        line: LinePlace(queue: "video", position: 1, waiting: 2, behind: id, holder: id, holderStatus: "running"),
        explanation: Explanation(code: "running", text: "it is running", until: date), worker: "host/1-a",
        events: [event],
        orders: [JobOrder(verb: "pause", by: "jo", at: date)], deliveries: [delivery])

    static let auditEntry = AuditEntry(
        id: 1, at: date, by: "jo", verb: "pause", subject: "job 1", job: id, matched: 1, done: 0, reason: "no")

    static let queue = Queue(
        name: "video", isStopped: false, jobs: ["running": 1], depth: ["normal": 1], consumers: 1, oldestWaiting: date,
        bytesLeft: 5, completedPerMinute: 0.5, failedPerMinute: 0.5, bytesPerSecond: 2.5,
        heldUp: [HoldUp(destination: "photos", reason: "limited", jobs: 1, text: "two at once")], secondsLeft: 3.5)

    static let delegate = Delegate(
        name: "hook", kind: "webhook", target: "https://host.example/hook", origin: "registration", createdAt: date,
        changedAt: date, types: ["failed"], queues: ["video"], destinations: ["photos"], batches: ["b"],
        metadata: ["team": "web"], client: "app", fields: ["name": "job.id"], ordered: true, concurrency: 2,
        timeoutSeconds: 2.5, mode: "binary", hasSecret: true, oldSecretUntil: date, hidesRegistered: false,
        isServed: false, problem: "no", backlog: 1, failed: 1, isPaused: true, isHeld: true, pausedSince: date,
        reason: "no")

    static let deadLetter = DeadLetter(
        id: 2, at: date, status: "replayed", reason: "no JSON", bytes: 5, isWhole: true, type: "upload.job.v1",
        contentType: "application/json", job: id, headers: ["h"], origin: "q", replayOf: 1, replayedAt: date,
        replayedBy: "me", body: "{", bodyEncoding: "text")

    static let deadLetterReplay = DeadLetterReplay(id: 2, done: true, to: "q", at: date, by: "me", reason: "no")

    private static let limits = Limits(jobs: 1, parts: 2, bytesPerSecond: 3, requestsPerSecond: 4)
    private static let circuit = Circuit(state: "open", since: date, until: date, error: "no")

    static let destination = Destination(
        name: "photos", driver: "s3", limits: limits, jobs: ["running": 1], bytesLeft: 5, circuit: circuit, limited: 1,
        live: DestinationLive(
            workers: 1, failing: 1, held: 1, jobsInFlight: 1, jobsAtOnce: 1, partsInFlight: 1, bytesPerSecond: 2.5),
        workers: [
            DestinationWorker(
                name: "w", origin: "https://host.example", circuit: circuit, jobsInFlight: 1, jobsAtOnce: 1,
                partsInFlight: 1, limits: limits, bytesPerSecond: 2.5, isHeld: true, at: date)
        ])

    static let worker = Worker(
        name: "host/1-a", host: "host", version: "1.0.0", commit: "0123456789ab", queues: ["video"], state: "draining",
        slotsUsed: 1, slots: 2, jobs: [RunningJob(id: id, since: date)], bytesPerSecond: 2.5, startedAt: date,
        heardAt: date)
    static let enqueuedJob = EnqueuedJob(id: id, queue: "video", enqueuedAt: date, status: "queued")

    static let orderAnswer = OrderAnswer(
        order: id, isDecided: true, dryRun: false, matched: 1, mayBeMore: true, done: 1,
        jobs: [OrderedJob(id: id, done: false, reason: "no", round: 2)])

    static let failureGroup = FailureGroup(
        destination: "photos", error: "rejected", jobs: 1, firstEndedAt: date, lastEndedAt: date, newest: id,
        message: "no")

    static let pastHour = History(
        period: "hour", from: date, until: date, bucketSeconds: 60,
        buckets: [HistoryBucket(start: date, completed: 1, failed: 2, cancelled: 3, bytes: 5)])

    static let problem = Problem(
        type: "urn:longshore:problem:failed", title: "no", status: 400, detail: "no", matched: 1, backlog: 1,
        errors: [FieldError(pointer: "#/url", detail: "no")])
}
