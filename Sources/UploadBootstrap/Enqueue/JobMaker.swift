import Foundation
import UploadSources
import Uploads

/// Makes jobs of planned uploads: the bytes are where a worker finds them before the job is published.
struct JobMaker: Sendable {
    /// Copies that are made at once.
    static let copiesAtOnce = 2

    let request: EnqueueRequest
    /// nil where nothing has to be staged.
    let area: StagingArea?

    /// The jobs, in the order of the uploads. What was staged is durable when this returns, and gone when it throws.
    func jobs(for uploads: [PlannedUpload]) async throws(UploadError) -> [UploadJob] {
        var jobs: [UploadJob?] = Array(repeating: nil, count: uploads.count)
        var failure: UploadError?
        await withTaskGroup(of: Made.self) { group in
            var next = 0
            func startNext() {
                guard next < uploads.count, failure == nil else { return }
                let index = next
                next += 1
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
            await discard(jobs.compactMap { $0 })
            throw error
        }
        return jobs.compactMap { $0 }
    }

    /// The job as it is published. Small files are read only now, so that thousands of them are never in memory at once.
    func loaded(_ job: UploadJob, _ upload: PlannedUpload) throws(UploadError) -> UploadJob {
        guard upload.isInline else { return job }
        guard let data = FileManager.default.contents(atPath: upload.path) else {
            throw UploadError(.invalidFile, "\(upload.path) is gone or cannot be read any more: enqueue it again")
        }
        guard data.count <= SourceReference.inlineBytesMaximum else {
            throw UploadError(.sourceChanged, "\(upload.path) has grown while it was enqueued: enqueue it again")
        }
        var job = job
        job.source = .inline(data)
        job.size = Int64(data.count)
        job.digests = Digests(of: data)
        return job
    }

    /// Removes the staged copies of jobs that were not published. One that cannot be removed stays for the clean-up.
    func discard(_ jobs: some Sequence<UploadJob>) async {
        for job in jobs { try? await area?.remove(job.source) }
    }

    private struct Made: Sendable {
        let index: Int
        let result: Result<UploadJob, UploadError>
    }

    private func make(_ upload: PlannedUpload, at index: Int) async -> Made {
        do throws(UploadError) {
            return Made(index: index, result: .success(try await job(for: upload)))
        } catch {
            return Made(index: index, result: .failure(error))
        }
    }

    private func job(for upload: PlannedUpload) async throws(UploadError) -> UploadJob {
        let source: SourceReference
        var size = upload.size ?? 0
        var digests = Digests()
        if upload.isInline {
            source = .inline(Data())
        } else if let area, request.stages {
            let staged =
                upload.isStandardInput
                ? try await area.stage(StandardInput()) : try await area.stage(fileAt: upload.path)
            (source, size, digests) = (staged.reference, staged.size, staged.digests)
        } else {
            let path = URL(filePath: upload.path).resolvingSymlinksInPath().path(percentEncoded: false)
            let examined = try await LocalSources.examine(fileAt: path)
            (source, size, digests) = (examined.reference, examined.size, examined.digests)
        }
        return UploadJob(
            queue: request.queue, priority: request.priority, source: source, destination: upload.destination,
            contentType: upload.contentType, size: size, digests: digests, metadata: upload.metadata,
            retry: request.maxAttempts.map { RetryPolicy(maxAttempts: $0) } ?? RetryPolicy())
    }
}
