import Foundation
import Glibc
import LinuxFiles
public import Uploads

/// The jobs that were enqueued from a staging area under idempotency keys: one small file for each key, so that every producer of
/// this area refuses the same key with other content at once.
///
/// The file is `<job id>.json` in the directory `keys`; the id is computed from the key. It holds the job without inline bytes and
/// without the query of a URL.
public struct KeyRegistry: Sendable {
    /// The directory's name below the staging area.
    public static let name = "keys"
    static let recordBytesMaximum = 1 << 20

    let directory: Directory

    /// Registers a keyed job, durably. Its staged copy, if it has one, must be durable before.
    /// - Returns: the job that was registered under the key before; nil if this is the first.
    /// - Throws: `rejected` when the earlier job has other content or another destination.
    public func register(_ job: UploadJob) async throws(UploadError) -> UploadJob? {
        try await Blocking.run { () throws(UploadError) in
            let name = job.id.rawValue + ".json"
            do {
                let record = Array(try WireJSON.encode(job.redacted))
                if try directory.create(name, with: record) {
                    try directory.synchronize()
                    return nil
                }
                let body = try directory.open(name, O_RDONLY | O_NOFOLLOW).read(Self.recordBytesMaximum, at: 0)
                let known = try WireJSON.decode(UploadJob.self, from: Data(body))
                try Self.check(job, against: known)
                return known
            } catch let error as SystemError {
                throw UploadError(staging: error)
            } catch let error as UploadError {
                throw error
            } catch {
                throw UploadError(
                    .invalidFile,
                    "\(directory.path(of: name)) should hold the job that was enqueued under a key, and does not: remove it, and enqueue again",
                    cause: error)
            }
        }
    }

    /// The job that is registered under this id, without inline bytes and without the query of a URL; nil when no job is registered, or its
    /// file cannot be read.
    package func job(_ id: JobID) async throws(UploadError) -> UploadJob? {
        try await Blocking.run { () throws(UploadError) in
            do throws(SystemError) {
                let body = try directory.open(id.rawValue + ".json", O_RDONLY | O_NOFOLLOW)
                    .read(Self.recordBytesMaximum, at: 0)
                return try? WireJSON.decode(UploadJob.self, from: Data(body))
            } catch {
                if error.number == ENOENT { return nil }
                throw UploadError(staging: error)
            }
        }
    }

    private static func check(_ job: UploadJob, against known: UploadJob) throws(UploadError) {
        guard job.isOther(than: known) else { return }
        let content = known.origin?.displayText ?? "\(known.size) bytes"
        throw UploadError(
            .rejected,
            """
            the idempotency key '\(job.idempotencyKey ?? "")' was used before, at \(WireJSON.timestamp(known.enqueuedAt)), for \
            something else (\(content) to \(known.destination.displayText)): use another key
            """)
    }
}

extension StagingArea {
    /// The area's keys; their directory is created when it is missing.
    public func keys() async throws(UploadError) -> KeyRegistry {
        KeyRegistry(directory: try await subdirectory(KeyRegistry.name))
    }

    /// Registers a keyed job and returns the job to publish. If the key was used before, that job gets the time and the staged copy of the
    /// first job, and its own copy is removed. A job without a key is returned unchanged.
    /// - Parameter copies: where its copy is; nil: in this area.
    /// - Throws: the errors of ``KeyRegistry/register(_:)``.
    package func registered(
        _ made: UploadJob, copiedTo copies: (any CopyStore)? = nil
    ) async throws(UploadError) -> UploadJob {
        guard made.idempotencyKey != nil, let known = try await keys().register(made) else { return made }
        var job = made
        job.enqueuedAt = known.enqueuedAt
        switch job.source {
        // The registered job lacks inline bytes and the query of a URL.
        case .inline, .object: break
        case .staged, .file:
            try? await (copies ?? self).remove(job.source)
            job.source = known.source
        }
        return job
    }
}
