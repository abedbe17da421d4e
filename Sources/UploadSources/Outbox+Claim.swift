import Foundation
import Glibc
import LinuxFiles
import Uploads

extension Outbox {
    /// The result for a program that wants to publish the job of a file.
    enum Claim: Sendable {
        /// Another program publishes the job, or the file is gone.
        case none
        /// The file holds no job, and now has this name.
        case corrupt(name: String, reason: String)
        /// The file may hold a job, and this program cannot read it. It now has this name.
        case unreadable(name: String, error: UploadError)
        /// This program alone publishes the job, until it unlocks the file.
        case job(UploadJob, File)
    }

    /// - Throws: an error that is no fault of this file and would happen with the next file too.
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
            // A job that was enqueued once more under its key in the meantime has another file.
            guard let named = try directory.status(of: name), named.isSameFile(as: try file.status()) else { return }
            try directory.remove(name)
        } catch {
            throw UploadError(staging: error)
        }
    }

    /// - Returns: the file's name after the attempt. A file that cannot be renamed (it belongs to another user, and the directory is
    ///   sticky) keeps its name, and each pass leaves it where it is.
    private func setAside(_ name: String, as other: String) -> String {
        guard name != other, (try? directory.renameWithoutReplacing(name, to: other)) == true else { return name }
        // If a crash loses the new name, a later pass gives it again.
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
            // NFS makes the lock a byte-range lock, which needs a descriptor that is open for writing (flock(2), NFS details).
            guard error.number == EBADF else { throw error }
            let file = try directory.open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
            return try file.tryLock() ? file : nil
        }
    }
}
