import Foundation
import Glibc
import LinuxFiles
public import Uploads

extension Outbox {
    /// What one pass over the outbox came to.
    public struct Pass: Sendable {
        /// Jobs that were published and whose files are gone.
        public var published: [JobID] = []
        /// Files that hold no job, by the name under which they were set aside, and why.
        public var setAside: [(name: String, reason: String)] = []
        /// Jobs that could not be published, and stay.
        public var refused: [(job: JobID, error: UploadError)] = []
        /// What ended the pass before its end: the broker is away again.
        public var failure: UploadError?
    }

    /// Publishes what waits, oldest first. What somebody else is publishing is left to them, and with it whatever follows and
    /// belongs to a serial line: its order would be lost.
    ///
    /// - Parameters:
    ///   - countMaximum: jobs that are published at most.
    ///   - publish: publishes a job as one that may be a repeat, and returns when it is confirmed. After a `networkFailure` nothing
    ///     more is tried; after any other error the job stays and the next one is tried.
    /// - Throws: `misconfigured` or `invalidFile` when the directory cannot be read.
    public func publish(
        atMost countMaximum: Int, _ publish: (UploadJob) async throws(UploadError) -> Void
    ) async throws(UploadError) -> Pass {
        var pass = Pass()
        var keepsSerial = false
        for name in try await pending() {
            guard pass.published.count < countMaximum, pass.failure == nil, !Task.isCancelled else { break }
            let claim = try await Blocking.run { () throws(UploadError) -> Claim in try self.claim(name) }
            switch claim {
            case .none:
                // Somebody else is publishing what may come before it in its line.
                keepsSerial = true
            case .corrupt(let aside, let reason): pass.setAside.append((aside, reason))
            case .job(let job, let file) where keepsSerial && job.serial != nil: file.unlock()
            case .job(let job, let file):
                do throws(UploadError) {
                    try await publish(job)
                    try await Blocking.run { () throws(UploadError) in try remove(name, file) }
                    pass.published.append(job.id)
                } catch {
                    if error.code == .networkFailure || error.code == .interrupted {
                        pass.failure = error
                    } else {
                        pass.refused.append((job.id, error))
                        keepsSerial = true
                    }
                }
                // The claim is the open file: it is held until here.
                file.unlock()
            }
        }
        if !pass.published.isEmpty { try await synchronize() }
        return pass
    }

    /// The names of the jobs' files, in the order of their ids.
    func pending() async throws(UploadError) -> [String] {
        try await Blocking.run { [directory] () throws(UploadError) in
            var names: [String] = []
            do throws(SystemError) {
                try directory.forEachEntry { name, _ in
                    if !name.hasPrefix("."), name.hasSuffix(Self.suffix) { names.append(name) }
                    return names.count < Self.pendingCountMaximum
                }
            } catch {
                throw UploadError(staging: error)
            }
            return names.sorted()
        }
    }

    /// The names of this area's staged copies that jobs in the outbox need.
    func stagedNames(of area: String) throws(SystemError) -> Set<String> {
        var files: [String] = []
        try directory.forEachEntry { name, _ in
            if !name.hasPrefix("."), name.hasSuffix(Self.suffix) { files.append(name) }
            return true
        }
        var names: Set<String> = []
        for file in files {
            let body: [UInt8]
            do {
                body = try directory.open(file, O_RDONLY | O_NOFOLLOW).read(Int(Self.jobBytesMaximum), at: 0)
            } catch {
                if error.number == ENOENT { continue }
                throw error
            }
            guard let job = try? WireJSON.decode(UploadJob.self, from: Data(body)),
                case .staged(area, let name) = job.source
            else { continue }
            names.insert(name)
        }
        return names
    }

    private enum Claim: Sendable {
        /// Somebody else has it, or it is gone.
        case none
        case corrupt(aside: String, reason: String)
        case job(UploadJob, File)
    }

    private func claim(_ name: String) throws(UploadError) -> Claim {
        do throws(SystemError) {
            guard let file = try lock(name) else { return .none }
            let status = try file.status()
            guard let named = try directory.status(of: name), named.isSameFile(as: status) else { return .none }
            let reason: String
            if status.kind != .regular || status.size > Self.jobBytesMaximum {
                reason = "it is no regular file of at most \(Self.jobBytesMaximum) bytes"
            } else {
                let body = Data(try file.read(Int(status.size), at: 0))
                do {
                    let job = try WireJSON.decode(UploadJob.self, from: body)
                    if name == job.id.rawValue + Self.suffix { return .job(job, file) }
                    reason = "it holds the job \(job.id)"
                } catch {
                    reason = "it holds no job: \(error)"
                }
            }
            try directory.rename(name, to: name + Self.corruptSuffix)
            try directory.synchronize()
            return .corrupt(aside: name + Self.corruptSuffix, reason: reason)
        } catch {
            if error.number == ENOENT { return .none }
            throw UploadError(staging: error)
        }
    }

    /// - Returns: nil when somebody else has the lock.
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

    private func remove(_ name: String, _ file: File) throws(UploadError) {
        do throws(SystemError) {
            // Enqueued once more under its key in the meantime, it is another file.
            guard let named = try directory.status(of: name), named.isSameFile(as: try file.status()) else { return }
            try directory.remove(name)
        } catch {
            throw UploadError(staging: error)
        }
    }
}
