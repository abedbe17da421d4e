import Foundation
import Glibc
import LinuxFiles
import Uploads

extension Outbox {
    /// What one of several programs finds that wants to publish the job of a file.
    enum Claim: Sendable {
        /// Another program publishes it, or it is gone.
        case none
        /// It holds no job, and is called this now.
        case corrupt(name: String, reason: String)
        /// It may hold a job, and this program cannot read it. It is called this now.
        case unreadable(name: String, error: UploadError)
        /// This program alone publishes it, until it unlocks the file.
        case job(UploadJob, File)
    }

    /// - Throws: what is no fault of this file, and would happen with the next one too.
    func claim(_ name: String) throws(UploadError) -> Claim {
        do throws(SystemError) {
            guard let file = try lock(name) else { return .none }
            let status = try file.status()
            guard let named = try directory.status(of: name), named.isSameFile(as: status) else { return .none }
            let reason: String
            if status.kind != .regular || status.size > WireLimits.jobBytesMaximum {
                reason = "it is no regular file of at most \(WireLimits.jobBytesMaximum) bytes"
            } else {
                let body = Data(try file.read(Int(status.size), at: 0))
                do {
                    let job = try WireJSON.decode(UploadJob.self, from: body)
                    if Self.plain(name) == job.id.rawValue + Self.suffix { return .job(job, file) }
                    reason = "it holds the job \(job.id)"
                } catch {
                    reason = "it holds no job: \(error)"
                }
            }
            return .corrupt(name: setAside(name, as: Self.plain(name) + Self.corruptSuffix), reason: reason)
        } catch {
            switch error.number {
            case ENOENT: return .none
            case EMFILE, ENFILE, ENOMEM, ENOLCK: throw UploadError(staging: error)
            default:
                return .unreadable(
                    name: setAside(name, as: Self.plain(name) + Self.unreadableSuffix),
                    error: UploadError(source: error))
            }
        }
    }

    /// Removes the file of a job that was published.
    func remove(_ name: String, _ file: File) throws(UploadError) {
        do throws(SystemError) {
            // Enqueued once more under its key in the meantime, it is another file.
            guard let named = try directory.status(of: name), named.isSameFile(as: try file.status()) else { return }
            try directory.remove(name)
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// - Returns: the name that it has then. A file that cannot be renamed (it belongs to another user, and the directory is
    ///   sticky) keeps its name, and is left where it is in each pass.
    private func setAside(_ name: String, as other: String) -> String {
        guard name != other, (try? directory.renameWithoutReplacing(name, to: other)) == true else { return name }
        // Lost in a crash, the new name is given again.
        try? directory.synchronize()
        return other
    }

    /// The name that the file had before it was set aside as one that cannot be read.
    private static func plain(_ name: String) -> String {
        name.hasSuffix(unreadableSuffix) ? String(name.dropLast(unreadableSuffix.count)) : name
    }

    /// - Returns: nil when another program has the lock.
    private func lock(_ name: String) throws(SystemError) -> File? {
        do throws(SystemError) {
            let file = try directory.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            return try file.tryLock() ? file : nil
        } catch {
            // NFS makes the lock a byte-range lock, which wants a descriptor that may write (flock(2), NFS details).
            guard error.number == EBADF else { throw error }
            let file = try directory.open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
            return try file.tryLock() ? file : nil
        }
    }
}
