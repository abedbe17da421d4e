import Foundation
package import Logging
import Synchronization
package import UploadSources
import UploadWorkers
package import Uploads

/// Copies files to a staging area at a destination, with the engine and the drivers of a worker: in parts, checked, with retries. A copy of
/// a large file goes on where a dead producer stopped.
package final class DestinationStager: CopyStore {
    /// The copies that are in hand at once at most; the engine finds out how many of them it carries.
    private static let copiesMaximum = 64
    /// The large files that are in hand at once: a file is read for its digests just before it is copied, while it is in the page cache.
    private static let largeCopiesMaximum = 4

    private let place: DestinationArea.Place
    private let destinations: any DestinationProvider
    private let spool: StagingArea
    private let needsSHA256: Bool
    private let tellWaiting: @Sendable (UploadError) -> Void
    private let queue: StagingQueue
    private let sources: StagingSources
    private let worker: UploadWorker
    private let working: Task<Void, Never>
    private let opening = AsyncLock()
    private let large = AsyncLock(places: largeCopiesMaximum)
    private let opened = Mutex<DestinationArea?>(nil)

    /// - Parameters:
    ///   - spool: a directory of this host for drafts, and for the bytes of streams on their way.
    ///   - needsSHA256: whether the destination needs the SHA-256 of all files.
    ///   - tellWaiting: called when a copy cannot go on at once, with the reason.
    package init(
        at place: DestinationArea.Place, of destinations: any DestinationProvider, spool: StagingArea,
        needsSHA256: Bool = false, logger: Logger, tellWaiting: @escaping @Sendable (UploadError) -> Void
    ) {
        self.place = place
        self.destinations = destinations
        self.spool = spool
        self.needsSHA256 = needsSHA256
        self.tellWaiting = tellWaiting
        let queue = StagingQueue(tellWaiting: tellWaiting)
        let sources = StagingSources()
        let worker = UploadWorker(
            queue: queue, destinations: StagingDestinations(destinations: destinations), sources: sources,
            configuration: WorkerConfiguration(
                concurrency: Self.copiesMaximum, grace: .seconds(1), consumerTimeout: nil),
            logger: logger, witnesses: .alone)
        self.queue = queue
        self.sources = sources
        self.worker = worker
        // Detached: the cancellation of a caller ends that caller's copies only.
        working = Task.detached { _ = try? await worker.run() }
    }

    /// The area, which is made if it does not exist.
    /// - Throws: `misconfigured`, and the errors of the destination.
    package func area() async throws(UploadError) -> DestinationArea {
        try await opening.withLock { () async throws(UploadError) in
            if let known = opened.withLock({ $0 }) { return known }
            let end = ContinuousClock.now + .seconds(StagingDestinations.patience)
            var pause = Duration.seconds(1)
            while true {
                do throws(UploadError) {
                    let area = try await makeArea()
                    opened.withLock { $0 = area }
                    return area
                } catch {
                    guard error.retry != .never, error.code != .interrupted, .now + pause < end else { throw error }
                    tellWaiting(error)
                    guard (try? await Task.sleep(for: pause)) != nil else { throw .stagingInterrupted }
                    pause = min(pause * 2, .seconds(10))
                }
            }
        }
    }

    private func makeArea() async throws(UploadError) -> DestinationArea {
        try await DestinationArea.open(at: place, of: destinations) { bytes, job async throws(UploadError) in
            try await queue.carry(Self.job(job, with: bytes), resuming: nil, draft: nil)
        }
    }

    package func close() async {
        await worker.drain()
        await working.value
    }

    package var copiesAtOnce: Int { Self.copiesMaximum }

    package func stage(
        fileAt path: FilePath, as name: JobID?, sha256: Bool
    ) async throws(UploadError) -> StagedFile {
        let area = try await area()
        guard await ExaminedFile.size(ofFileAt: path) >= StagingDraft.bytesMinimum else {
            let file = try await ExaminedFile(readingFileAt: path, sha256: sha256 || needsSHA256)
            return try await stage(file, path, as: name, nil, in: area)
        }
        return try await large.withLock { () async throws(UploadError) in
            let file = try await ExaminedFile(readingFileAt: path, sha256: sha256 || needsSHA256)
            let draft = await StagingDraft.open(for: file, to: area.id, in: spool)
            do throws(UploadError) {
                let staged = try await stage(file, path, as: name, draft, in: area)
                try await draft?.remove()
                return staged
            } catch {
                draft?.release()
                throw error
            }
        }
    }

    package func stage(
        _ chunks: some AsyncSequence<[UInt8], any Error> & Sendable, as name: JobID?, sha256: Bool
    ) async throws(UploadError) -> StagedFile {
        let area = try await area()
        let file = try await ExaminedFile(keeping: chunks, in: spool.path, sha256: sha256 || needsSHA256)
        return try await stage(file, FilePath("/dev/stdin"), as: name, nil, in: area)
    }

    package func link(fileAt path: FilePath, sha256: Bool) async throws(UploadError) -> StagedFile? { nil }

    package func beginCopy(ofFileAt path: FilePath) async throws(UploadError) -> GrowingCopy? { nil }

    /// The destination makes a copy durable before it confirms it.
    package func synchronize() async throws(UploadError) {}

    package func remove(_ reference: SourceReference) async throws(UploadError) {
        guard case .staged(let id, let name) = reference else { return }
        let area = try await area()
        if area.id == id { try await area.remove(name) }
    }

    package func removeRemains(of copy: String) async throws(UploadError) { try await area().remove(copy) }

    private func stage(
        _ file: ExaminedFile, _ path: FilePath, as name: JobID?, _ draft: StagingDraft?, in area: DestinationArea
    ) async throws(UploadError) -> StagedFile {
        let former = await draft?.record(of: file, at: area.place)
        let id = former?.job.id ?? name ?? JobID()
        var copy = Self.job(area.place.job(for: id.rawValue), id: id)
        copy.source = .file(path: path, identity: file.identity ?? FileIdentity())
        copy.size = file.size
        copy.digests = file.digests
        sources.add(file, for: id)
        defer { sources.remove(id) }
        do throws(UploadError) {
            try await queue.carry(copy, resuming: former?.state, draft: draft, report: CopyObserver.report)
            if let (suffix, bytes) = file.sideFile {
                let side = Self.job(area.place.job(for: id.rawValue + suffix), with: bytes)
                try await queue.carry(side, resuming: nil, draft: nil)
            }
        } catch {
            // A file that changed, and an interruption, are no fault of the staging area.
            guard ![.sourceChanged, .invalidFile, .interrupted].contains(error.code) else { throw error }
            throw UploadError(
                error.code, "\(path) could not be copied to the staging area \(area.place): \(error.message)",
                retry: error.retry, cause: error, response: error.response)
        }
        return StagedFile(
            reference: .staged(area: area.id, name: id.rawValue), size: file.size, digests: file.digests,
            original: file.identity)
    }

    /// A producer waits for its staging area for some minutes at most.
    private static func job(_ job: UploadJob, id: JobID = JobID()) -> UploadJob {
        var made = UploadJob(id: id, source: job.source, destination: job.destination, size: job.size)
        made.ifExists = job.ifExists
        made.retry = RetryPolicy(maxAttempts: 8, maxAge: StagingDestinations.patience, base: 1, cap: 30)
        return made
    }

    private static func job(_ job: UploadJob, with bytes: [UInt8]) -> UploadJob {
        var made = Self.job(job)
        made.source = .inline(Data(bytes))
        made.size = Int64(bytes.count)
        made.digests = Digests(of: Data(bytes), sha256: false)
        return made
    }
}

/// The sources of a producer's copies, by the ids of their jobs.
private final class StagingSources: SourceProvider {
    private let sources = Mutex<[JobID: any UploadSource]>([:])

    func add(_ source: any UploadSource, for id: JobID) { sources.withLock { $0[id] = source } }

    func remove(_ id: JobID) { sources.withLock { $0[id] = nil } }

    func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim {
        if let source = sources.withLock({ $0[job.id] }) { return .claimed(source) }
        return try await LocalSources(areas: [], roots: []).claim(job)
    }

    func removeStagedCopy(of job: UploadJob) async throws(UploadError) {}
}

/// The destinations of a producer, which waits for its staging area for some minutes at most.
private struct StagingDestinations: DestinationProvider {
    /// Seconds.
    static let patience: TimeInterval = 300

    let destinations: any DestinationProvider

    func destination(for reference: DestinationReference) throws(UploadError) -> (any Destination)? {
        try destinations.destination(for: reference)
    }

    func patience(for reference: DestinationReference) -> TimeInterval { Self.patience }
}
