import Foundation
import Glibc
import LinuxFiles
import UploadSources
import Uploads

/// Makes jobs from planned uploads. Before a job is published, its bytes are at a place that workers can read.
struct JobMaker: Sendable {
    /// The most uploads of a group, whose copies are flushed to the disk together.
    static let groupCountMaximum = 4096
    /// A group with so many bytes takes no further upload.
    static let groupBytesMaximum: Int64 = 256 << 20

    let plan: EnqueuePlan
    /// Where the copies go; nil if nothing has to be staged.
    let copies: (any CopyStore)?
    /// The directory with the idempotency keys; nil if no job has a key.
    let area: StagingArea?
    /// Shows the copies on a terminal.
    var display: CopyingDisplay?
    /// The namespace on the broker, which is a part of the ids of keyed jobs.
    var namespace = "upload"
    /// The most uploads of a group.
    var groupCountMaximum = Self.groupCountMaximum
    /// The time at which small files count as enqueued.
    private let startedAt = Date()
    private let synchronizing = AsyncLock()

    private var request: EnqueueRequest { plan.request }

    /// How many files are taken up at the same time.
    var copiesAtOnce: Int { copies?.copiesAtOnce ?? 2 }

    init(plan: EnqueuePlan, copies: (any CopyStore)?, area: StagingArea?, namespace: String = "upload") {
        self.plan = plan
        self.copies = copies
        self.area = area
        self.namespace = namespace
    }

    /// The upload whose copy could not be made, and why.
    struct FailedCopy: Error {
        let position: Int
        let error: UploadError
    }

    /// Puts the bytes of the first group of uploads where workers can read them, except for those that are copied while they are published;
    /// those of all uploads, if the broker is away, or if they have idempotency keys, which are registered here. When this returns, the
    /// staged copies are durable; when it throws, they are removed.
    /// - Parameter isAway: whether the broker is away, so that nothing is published now, and everything is copied first.
    /// - Returns: where the next group begins; nil if everything is made.
    @discardableResult func begin(isAway: Bool = false) async throws(UploadError) -> Int? {
        var next: Int?
        do throws(FailedCopy) {
            repeat {
                next = try await makeGroup(from: next ?? 0, orWhilePublished: isAway)
            } while next != nil && (isAway || plan.isKeyed)
        } catch {
            await removeCopies { _ in true }
            throw error.error
        }
        try await register()
        return next
    }

    /// Puts the bytes of the next uploads where workers can read them, and flushes the copies.
    /// - Returns: where the next group begins; nil if everything is made.
    func makeGroup(
        from start: Int, orWhilePublished all: Bool = false
    ) async throws(FailedCopy) -> Int? {
        var (next, count, bytes): (Int?, Int, Int64) = (start, 0, 0)
        var failure: FailedCopy?
        await withTaskGroup(of: FailedCopy?.self) { group in
            func startNext() {
                let isFull = count >= groupCountMaximum || bytes >= Self.groupBytesMaximum && count >= copiesAtOnce
                guard failure == nil, !isFull, let from = next else { return }
                do throws(UploadError) {
                    next = try plan.file.firstToMake(from: from, orWhilePublished: all)
                    guard let position = next else { return }
                    next = position + 1
                    count += 1
                    bytes = bytes.addingSaturating(try plan.file.row(at: position).size ?? 0)
                    group.addTask { await self.make(at: position).map { FailedCopy(position: position, error: $0) } }
                } catch {
                    failure = FailedCopy(position: from, error: error)
                }
            }
            for _ in 0..<copiesAtOnce { startNext() }
            while let problem = await group.next() {
                failure = failure ?? problem
                startNext()
            }
        }
        if let failure { throw failure }
        do throws(UploadError) { try await copies?.synchronize() } catch {
            throw FailedCopy(position: start, error: error)
        }
        return next
    }

    private func make(at position: Int) async -> UploadError? {
        do throws(UploadError) {
            let upload = try plan.upload(at: position)
            // A file that changes while it is read, or later, is newer than its job, which `--changed` relies on.
            let readFrom = Date()
            let source = try await shown(position) { () async throws(UploadError) in try await self.source(of: upload) }
            try plan.file.keep(MadeUpload(source, at: upload.content == .file ? readFrom : Date()), at: position)
            return nil
        } catch {
            return error
        }
    }

    /// Copies a large file while its job is published.
    /// - Parameter begun: called when the job may be published.
    func copy(at position: Int, begun: @Sendable () -> Void) async throws(UploadError) {
        let upload = try plan.upload(at: position)
        let copies = try copyStore(for: upload)
        let readFrom = Date()
        if request.moves, let linked = try await copies.link(fileAt: upload.path, sha256: false) {
            display?.finish(position, bytes: linked.size)
            try plan.file.keep(MadeUpload(linked, at: readFrom), at: position)
            try await synchronize()
        } else if let copy = try await copies.beginCopy(ofFileAt: upload.path) {
            let made = MadeUpload(copy.staged, at: readFrom)
            try plan.file.keep(made, at: position)
            begun()
            let whole = try await shown(position) { () async throws(UploadError) in try await copy.finish() }
            try plan.file.keep(MadeUpload(whole, at: made.enqueuedAt), at: position)
        } else {
            try await makeWhole(at: position)
        }
    }

    private func shown(
        _ position: Int, _ copy: () async throws(UploadError) -> StagedFile
    ) async throws(UploadError) -> StagedFile {
        guard let display else { return try await copy() }
        return try await display.during(position, copy)
    }

    /// Copies a large file before its job is kept or published, unless its copy is made already.
    func makeWhole(at position: Int) async throws(UploadError) {
        guard try plan.file.row(at: position).reading == .whilePublished, try plan.file.made(at: position) == nil
        else { return }
        if let problem = await make(at: position) { throw problem }
        try await synchronize()
    }

    /// One at a time: a second call would find nothing to do while the first one still flushes.
    private func synchronize() async throws(UploadError) {
        try await synchronizing.withLock { () async throws(UploadError) in try await copies?.synchronize() }
    }

    /// Registers keyed jobs under the id that follows from their key. A job whose key was registered earlier takes the source of that
    /// registration.
    private func register() async throws(UploadError) {
        guard let area, plan.isKeyed else { return }
        var next = 0
        do throws(UploadError) {
            while let position = try plan.file.firstKeyed(from: next) {
                next = position
                let job = try await area.registered(bareJob(at: position), copiedTo: copies)
                if var made = try plan.file.made(at: position) {
                    made.enqueuedAt = job.enqueuedAt
                    made.source = job.source
                    try plan.file.keep(made, at: position)
                }
                next = position + 1
            }
        } catch {
            // Another program that uses the same key may publish a registered job, so its copy stays.
            let failed = next
            await removeCopies { position throws(UploadError) in
                position >= failed ? true : try !plan.file.row(at: position).isKeyed
            }
            throw error
        }
    }

    /// A job with its bytes, where they ride inside.
    struct Loaded {
        var job: UploadJob
        /// What the bytes were taken of, if it is a file.
        var original: FileIdentity?
    }

    /// Makes the job of an upload as it is published.
    /// - Throws: `invalidFile` or `sourceChanged` when a small file cannot be read any more or has changed.
    func load(at position: Int) throws(UploadError) -> Loaded {
        let upload = try plan.upload(at: position)
        var loaded = try loaded(made(upload, at: position), upload)
        if request.moves, loaded.original == nil { loaded.original = try plan.file.made(at: position)?.original }
        loaded.job.serial = try serialPosition(at: position)
        return loaded
    }

    /// The job without its inline bytes, and, for a small file, without their digests.
    func bareJob(at position: Int) throws(UploadError) -> UploadJob {
        try made(plan.upload(at: position), at: position)
    }

    /// The id of the job of an upload.
    func id(of upload: PlannedUpload) -> JobID {
        let id =
            upload.wishes.idempotencyKey.map { JobID(namespace: namespace, queue: request.queue, idempotencyKey: $0) }
            ?? upload.id
        return request.serial == nil ? id : id.inLine(of: request.queue)
    }

    /// Removes the staged copies of jobs that were not published. A copy that cannot be removed stays for the clean-up; so does a keyed
    /// job's copy, because the next program that uses the key publishes the job.
    func discard(_ positions: some Sequence<Int>) async {
        for position in positions {
            guard let made = try? plan.file.made(at: position), (try? plan.file.row(at: position).isKeyed) == false
            else { continue }
            try? await copies?.remove(made.source)
        }
    }

    private func removeCopies(where isRemoved: (Int) throws(UploadError) -> Bool) async {
        var next = 0
        while let position = try? plan.file.firstMade(from: next) {
            next = position + 1
            guard (try? isRemoved(position)) == true, let made = try? plan.file.made(at: position) else { continue }
            try? await copies?.remove(made.source)
        }
    }

    /// The serial position that keeps the jobs in the order of the command; in the outbox their ids keep the same order.
    private func serialPosition(at position: Int) throws(UploadError) -> SerialPosition? {
        guard let first = request.serial, let index = first.index, position > 0 else { return request.serial }
        // The serial line may advance between two publishes, so each job also names the one before it.
        return SerialPosition(index: index + position, after: id(of: try plan.upload(at: position - 1)))
    }

    private func made(_ upload: PlannedUpload, at position: Int) throws(UploadError) -> UploadJob {
        let made =
            try upload.reading(for: request) == .whenPublished ? nil : plan.file.made(at: position)
        let source =
            made
            ?? MadeUpload(
                StagedFile(reference: .inline(Data()), size: upload.size ?? 0, digests: Digests()), at: startedAt)
        var job = UploadJob(
            id: id(of: upload), queue: request.queue, priority: request.priority, source: source.source,
            destination: upload.place.reference(of: source.digests), contentType: upload.contentType, size: source.size,
            digests: source.digests, metadata: upload.wishes.metadata,
            retry: request.maxAttempts.map { RetryPolicy(maxAttempts: $0) }, enqueuedAt: source.enqueuedAt)
        job.properties = upload.wishes.properties
        job.ifExists = upload.wishes.ifExists
        job.verify = upload.wishes.verify
        job.notBefore = upload.wishes.schedule.notBefore
        job.expiresAt = upload.wishes.schedule.expiresAt
        job.batch = upload.wishes.batch
        job.idempotencyKey = upload.wishes.idempotencyKey
        return job
    }

    /// The job with its inline bytes, if the upload is a small file.
    private func loaded(_ job: UploadJob, _ upload: PlannedUpload) throws(UploadError) -> Loaded {
        guard upload.isInline, upload.content == .file else { return Loaded(job: job) }
        let data: Data
        let original: FileIdentity
        do throws(SystemError) {
            let file = try File.open(
                bytes: upload.path.bytes, named: upload.path.description, O_RDONLY | O_NONBLOCK)
            original = FileIdentity(of: file, try file.status())
            data = Data(try file.read(SourceReference.inlineBytesMaximum + 1, at: 0))
        } catch {
            throw UploadError(
                .invalidFile, "\(upload.path) is gone or cannot be read any more: enqueue it again", cause: error)
        }
        guard data.count <= SourceReference.inlineBytesMaximum else {
            throw UploadError(.sourceChanged, "\(upload.path) has grown while it was enqueued: enqueue it again")
        }
        var job = job
        let digests = Digests(of: data, sha256: needsSHA256(upload))
        guard job.digests == Digests() || job.digests == digests else {
            throw UploadError(.sourceChanged, "\(upload.path) has changed while it was enqueued: enqueue it again")
        }
        job.source = .inline(data)
        job.size = Int64(data.count)
        job.digests = digests
        job.destination = upload.place.reference(of: digests)
        return Loaded(job: job, original: original)
    }

    private func needsSHA256(_ upload: PlannedUpload) -> Bool { request.sha256 || upload.place.needsSHA256 }

    private func source(of upload: PlannedUpload) async throws(UploadError) -> StagedFile {
        let sha256 = needsSHA256(upload)
        switch upload.content {
        case .object(let reference):
            return StagedFile(reference: .object(reference, seen: nil), size: 0, digests: Digests())
        case .standardInput: return try await copyStore(for: upload).stage(StandardInput(), as: nil, sha256: sha256)
        case .data(let data) where upload.isInline:
            return StagedFile(
                reference: .inline(data), size: Int64(data.count), digests: Digests(of: data, sha256: sha256))
        case .data(let data):
            return try await copyStore(for: upload).stage(DataBuffers(data: data), as: nil, sha256: sha256)
        case .file where upload.isInline:
            let job = try loaded(
                UploadJob(source: .inline(Data()), destination: upload.destination, size: upload.size ?? 0), upload
            ).job
            return StagedFile(reference: .inline(Data()), size: job.size, digests: job.digests)
        case .file where !request.stages:
            // A key that was used before for other bytes is known by their checksum.
            let isKeyed = upload.wishes.idempotencyKey != nil
            return try await LocalSources.examine(
                fileAt: upload.path, computing: sha256 ? .sha256 : isKeyed ? .crc64nvme : .none)
        case .file:
            let copies = try copyStore(for: upload)
            if request.moves, let linked = try await copies.link(fileAt: upload.path, sha256: sha256) { return linked }
            return try await copies.stage(fileAt: upload.path, sha256: sha256)
        }
    }

    private func copyStore(for upload: PlannedUpload) throws(UploadError) -> any CopyStore {
        guard let copies else {
            throw UploadError(.misconfigured, "\(upload.path) has to be staged, and no staging area is open")
        }
        return copies
    }
}
