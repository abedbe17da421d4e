import Foundation
import Glibc
import LinuxFiles
import UploadSources
import Uploads

/// Makes jobs of planned uploads: the bytes are where a worker finds them before the job is published.
struct JobMaker: Sendable {
    /// Copies that are made at once.
    static let copiesAtOnce = 2

    let request: EnqueueRequest
    /// nil where nothing has to be staged.
    let area: StagingArea?
    /// What the names on the broker begin with: a part of keyed jobs' ids.
    var namespace = "upload"

    /// The jobs, in the order of the uploads. What was staged is durable when this returns, and gone when it throws.
    func jobs(for uploads: [PlannedUpload]) async throws(UploadError) -> [UploadJob] {
        var jobs = uploads.map { upload in
            isReadLater(upload)
                ? job(for: upload, StagedFile(reference: .inline(Data()), size: upload.size ?? 0, digests: Digests()))
                : nil
        }
        var failure: UploadError?
        await withTaskGroup(of: Made.self) { group in
            var others = jobs.indices.filter { jobs[$0] == nil }[...]
            func startNext() {
                guard failure == nil, let index = others.popFirst() else { return }
                group.addTask { await self.make(uploads[index], at: index) }
            }
            for _ in 0..<Self.copiesAtOnce { startNext() }
            while let made = await group.next() {
                switch made.result {
                case .success(let job): jobs[made.index] = job
                case .failure(let error): failure = failure ?? error
                }
                startNext()
            }
        }
        do throws(UploadError) {
            if let failure { throw failure }
            try await area?.synchronize()
        } catch {
            await removeCopies(of: jobs.compactMap { $0 })
            throw error
        }
        return inLine(try await registered(jobs.compactMap { $0 }))
    }

    /// Small files are read only when their jobs are published, so that thousands of them are never in memory at once.
    private func isReadLater(_ upload: PlannedUpload) -> Bool {
        upload.isInline && upload.content == .file && upload.idempotencyKey == nil
    }

    /// The job as it is published.
    func loaded(_ job: UploadJob, _ upload: PlannedUpload) throws(UploadError) -> UploadJob {
        guard upload.isInline, upload.content == .file else { return job }
        let data: Data
        do throws(SystemError) {
            data = Data(
                try File.open(upload.path, O_RDONLY | O_NONBLOCK).read(SourceReference.inlineBytesMaximum + 1, at: 0))
        } catch {
            throw UploadError(
                .invalidFile, "\(upload.path) is gone or cannot be read any more: enqueue it again", cause: error)
        }
        guard data.count <= SourceReference.inlineBytesMaximum else {
            throw UploadError(.sourceChanged, "\(upload.path) has grown while it was enqueued: enqueue it again")
        }
        var job = job
        let digests = Digests(of: data)
        guard job.idempotencyKey == nil || job.digests == digests else {
            throw UploadError(.sourceChanged, "\(upload.path) has changed while it was enqueued: enqueue it again")
        }
        job.source = .inline(data)
        job.size = Int64(data.count)
        job.digests = digests
        job.destination = upload.place.reference(of: digests)
        return job
    }

    /// Jobs of a serial line in the order of the command: in the line, and by their ids also in the outbox.
    private func inLine(_ made: [UploadJob]) -> [UploadJob] {
        guard let first = request.serial else { return made }
        var jobs = made
        let free = jobs.indices.filter { jobs[$0].idempotencyKey == nil }
        for (index, id) in zip(free, free.map { jobs[$0].id }.sorted()) { jobs[index].id = id }
        for index in jobs.indices {
            var place = first
            if let position = first.index, index > 0 {
                // The line may move on between two of them.
                place = SerialPosition(index: position + index, after: jobs[index - 1].id)
            }
            jobs[index].serial = place
        }
        return jobs
    }

    /// Keyed jobs under the id that follows from their key, and with the source of the one that was first.
    private func registered(_ made: [UploadJob]) async throws(UploadError) -> [UploadJob] {
        guard let area, made.contains(where: { $0.idempotencyKey != nil }) else { return made }
        var jobs = made
        for (index, made) in made.enumerated() where made.idempotencyKey != nil {
            do throws(UploadError) {
                jobs[index] = try await area.registered(made)
            } catch {
                // Once registered, a job may be published by somebody else who uses its key: its copy stays.
                await discard(jobs[..<index])
                await removeCopies(of: jobs[index...])
                throw error
            }
        }
        return jobs
    }

    /// Removes the staged copies of jobs that were not published. One that cannot be removed stays for the clean-up, as does a
    /// keyed job's: whoever uses the key next publishes it.
    func discard(_ jobs: some Sequence<UploadJob>) async {
        for job in jobs where job.idempotencyKey == nil { try? await area?.remove(job.source) }
    }

    private func removeCopies(of jobs: some Sequence<UploadJob>) async {
        for job in jobs { try? await area?.remove(job.source) }
    }

    private struct Made: Sendable {
        let index: Int
        let result: Result<UploadJob, UploadError>
    }

    private func make(_ upload: PlannedUpload, at index: Int) async -> Made {
        do throws(UploadError) {
            return Made(index: index, result: .success(job(for: upload, try await source(of: upload))))
        } catch {
            return Made(index: index, result: .failure(error))
        }
    }

    private func job(for upload: PlannedUpload, _ source: StagedFile) -> UploadJob {
        var job = UploadJob(
            queue: request.queue, priority: request.priority, source: source.reference,
            destination: upload.place.reference(of: source.digests), contentType: upload.contentType, size: source.size,
            digests: source.digests, metadata: upload.metadata,
            retry: request.maxAttempts.map { RetryPolicy(maxAttempts: $0) })
        job.properties = upload.properties
        job.ifExists = upload.ifExists
        job.verify = upload.verify
        job.notBefore = upload.schedule.notBefore
        job.expiresAt = upload.schedule.expiresAt
        job.batch = upload.batch
        if let key = upload.idempotencyKey {
            job.idempotencyKey = key
            job.id = JobID(namespace: namespace, queue: request.queue, idempotencyKey: key)
        }
        return job
    }

    private func source(of upload: PlannedUpload) async throws(UploadError) -> StagedFile {
        switch upload.content {
        case .object(let reference):
            return StagedFile(reference: .object(reference, seen: nil), size: 0, digests: Digests())
        case .standardInput: return try await stagingArea(for: upload).stage(StandardInput())
        case .data(let data) where upload.isInline:
            return StagedFile(reference: .inline(data), size: Int64(data.count), digests: Digests(of: data))
        case .data(let data): return try await stagingArea(for: upload).stage(DataBuffers(data: data))
        case .file where upload.isInline:
            let job = try loaded(
                UploadJob(source: .inline(Data()), destination: upload.destination, size: upload.size ?? 0), upload)
            return StagedFile(reference: .inline(Data()), size: job.size, digests: job.digests)
        case .file where !request.stages:
            return try await LocalSources.examine(fileAt: FilePath(upload.path))
        case .file: return try await stagingArea(for: upload).stage(fileAt: upload.path)
        }
    }

    private func stagingArea(for upload: PlannedUpload) throws(UploadError) -> StagingArea {
        guard let area else {
            throw UploadError(.misconfigured, "\(upload.path) has to be staged, and no staging area is open")
        }
        return area
    }
}
