import Foundation
import Glibc
import LinuxFiles
import UploadSources
import Uploads

/// What a producer needs to go on with a copy that a dead one has begun: the copy's job, and its session at the destination. It is found by
/// the identity of the file that is copied.
///
/// `drafts/<hash>.json` in the spool holds it. A producer locks `drafts/<hash>.lock`, and the lock ends with the producer. The draft is
/// removed before the job of the copy is published, so that a copy never belongs to two jobs.
struct StagingDraft: Sendable {
    /// Files below this many bytes are begun anew: 64 MiB.
    static let bytesMinimum = GrowingCopy.bytesMinimum
    /// Seconds after which a draft is removed: the sweep has removed its session by then.
    private static let keep: TimeInterval = 7 * 86_400
    private static let folder = "drafts"
    private static let bytesMaximum = 4 << 20

    struct Record: Codable, Sendable {
        /// The upload to the staging area; its id is the name of the copy.
        var job: UploadJob
        var state: UploadState?
    }

    private let directory: Directory
    private let name: String
    private let lock: File

    /// - Parameter area: the id of the staging area.
    /// - Returns: nil when another program copies the same file now, or the spool takes no draft.
    static func open(for file: ExaminedFile, to area: String, in spool: StagingArea) async -> StagingDraft? {
        guard let identity = file.identity, let known = try? WireJSON.encode(identity),
            let directory = try? await spool.subdirectory(folder)
        else { return nil }
        let key = Array(known) + Array("\(file.size) \(area)".utf8)
        let name = CRC64NVME(of: key).hexadecimal
        return await Blocking.run {
            removeOld(in: directory)
            do throws(SystemError) {
                let lock = try directory.open(name + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o660)
                // A producer that has ended removes the file while it holds the lock.
                guard try lock.tryLock(), let named = try directory.status(of: name + ".lock"),
                    named.isSameFile(as: try lock.status())
                else { return nil }
                return StagingDraft(directory: directory, name: name, lock: lock)
            } catch {
                return nil
            }
        }
    }

    /// What an earlier producer has kept of this very file.
    func record(of file: ExaminedFile, at place: DestinationArea.Place) async -> Record? {
        let bytes = await Blocking.run { [directory, name] in
            try? directory.open(name + ".json", O_RDONLY | O_NOFOLLOW).read(Self.bytesMaximum, at: 0)
        }
        guard let bytes, let record = try? WireJSON.decode(Record.self, from: Data(bytes)),
            case .file(_, let identity) = record.job.source, identity == file.identity, record.job.size == file.size,
            record.job.digests == file.digests,
            record.job.destination == place.job(for: record.job.id.rawValue).destination
        else { return nil }
        return record
    }

    /// Keeps how far the upload is. If that fails, a later producer begins anew.
    func keep(_ baton: Baton) async {
        guard let bytes = try? WireJSON.encode(Record(job: baton.job, state: baton.state)) else { return }
        await Blocking.run { [directory, name] in
            try? directory.replace(name + ".json", with: Array(bytes))
            try? directory.synchronize()
        }
    }

    /// Removes the draft of a complete copy. When this returns, the removal is durable.
    func remove() async throws(UploadError) {
        try await Blocking.run { [directory, name, lock] () throws(UploadError) in
            do throws(SystemError) {
                try directory.remove(name + ".json")
                try directory.remove(name + ".lock")
                try directory.synchronize()
            } catch {
                throw UploadError(staging: error)
            }
            lock.unlock()
        }
    }

    /// Leaves the draft to a later producer.
    func release() { lock.unlock() }

    private static func removeOld(in directory: Directory) {
        var names: [String] = []
        try? directory.forEachEntry { name, _ in
            names.append(name)
            return true
        }
        let cutoff = Date(timeIntervalSinceNow: -keep)
        for name in names {
            guard let status = try? directory.status(of: name), status.modifiedAt < cutoff else { continue }
            try? directory.remove(name)
        }
    }
}
