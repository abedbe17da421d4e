import LinuxFiles
public import Uploads

extension Outbox {
    /// The result of one pass over the outbox.
    public struct Pass: Sendable {
        /// Jobs that were published and whose files are gone.
        public var published: [JobID] = []
        /// Files that hold no job, by the names that they have now, with the reasons.
        public var setAside: [(name: String, reason: String)] = []
        /// Files that may hold a job and cannot be read, by the names that they have now.
        public var unreadable: [(name: String, error: UploadError)] = []
        /// Jobs that could not be published; their files stay.
        public var refused: [(job: JobID, error: UploadError)] = []
        /// Jobs that were published and whose files cannot be removed: they will be published again.
        public var unremoved: [(job: JobID, error: UploadError)] = []
        /// The error that ended the pass early: the broker is away again, or the directory cannot be read any more.
        public var failure: UploadError?
        /// Whether the pass ended because it had published as many jobs as it may: more may wait.
        public var isFull = false
    }

    /// Publishes the waiting jobs, the oldest first.
    ///
    /// A job stays when another program is publishing it, when it is refused, or when its file cannot be read. The serial jobs
    /// behind it stay as well, since it may belong to their serial line, whose order would be lost. All others are published.
    ///
    /// - Parameters:
    ///   - countMaximum: the most jobs that are published.
    ///   - publish: publishes a job as a possible repeat, and returns when the broker has confirmed it. After a `networkFailure` the pass
    ///     ends; after any other error the job stays and the next one is tried.
    /// - Throws: `misconfigured` or `invalidFile` when the directory cannot be read; then nothing was published.
    public func publish(
        atMost countMaximum: Int, _ publish: (UploadJob) async throws(UploadError) -> Void
    ) async throws(UploadError) -> Pass {
        var pass = Pass()
        var keepsSerial = false
        var names = try await pending(after: nil, atMost: Self.pageCountMaximum)
        do throws(UploadError) {
            while let last = names.last {
                for name in names {
                    guard pass.failure == nil, !pass.isFull, !Task.isCancelled else { break }
                    try await take(name, in: &pass, &keepsSerial, publish)
                    pass.isFull = pass.published.count >= countMaximum
                }
                guard pass.failure == nil, !pass.isFull, !Task.isCancelled, names.count == Self.pageCountMaximum else {
                    break
                }
                names = try await pending(after: last, atMost: Self.pageCountMaximum)
            }
            if !pass.published.isEmpty { try await synchronize() }
        } catch {
            // The caller gets the results until then as well.
            pass.failure = error
        }
        return pass
    }

    private func take(
        _ name: String, in pass: inout Pass, _ keepsSerial: inout Bool,
        _ publish: (UploadJob) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        switch try await Blocking.run({ () throws(UploadError) -> Claim in try self.claim(name) }) {
        case .none: keepsSerial = true
        case .corrupt(let name, let reason): pass.setAside.append((name, reason))
        case .unreadable(let name, let error):
            pass.unreadable.append((name, error))
            keepsSerial = true
        case .job(let job, let file):
            // The claim lasts as long as the file is open and locked: until the end of this step.
            defer { file.unlock() }
            if keepsSerial, job.serial != nil { return }
            do throws(UploadError) {
                try await publish(job)
            } catch {
                if error.code == .networkFailure || error.code == .interrupted {
                    pass.failure = error
                } else {
                    pass.refused.append((job.id, error))
                    keepsSerial = true
                }
                return
            }
            do throws(UploadError) {
                try await Blocking.run { () throws(UploadError) in try remove(name, file) }
                pass.published.append(job.id)
            } catch {
                pass.unremoved.append((job.id, error))
            }
        }
    }
}
