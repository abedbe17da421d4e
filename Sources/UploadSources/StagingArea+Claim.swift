import LinuxFiles
import Synchronization
import Uploads

extension StagingArea {
    /// Opens and locks a copy for a slice.
    func claim(_ name: String, for job: UploadJob) async throws(UploadError) -> SourceClaim {
        try await Blocking.run { [self] () throws(UploadError) in
            let copy: LockedCopy
            let blocks: BlockDigests?
            do throws(SystemError) {
                switch try LockedCopy.lock(name, in: self) {
                case .busy: return .busy
                case .gone: return .gone
                case .locked(let locked): copy = locked
                }
                blocks = try BlockDigests.open(name + BlockDigests.suffix, of: copy.status.size, in: directory)
            } catch {
                throw UploadError(source: error)
            }
            guard copy.status.kind == .regular, copy.status.size == job.size else {
                throw UploadError(
                    .sourceChanged,
                    "the staged copy \(copy.file.path) has \(copy.status.size) bytes, the job says \(job.size): enqueue the file again"
                )
            }
            claimed.withLock { _ = $0.insert(name) }
            return .claimed(FileSource(copy, name: name, blocks: blocks, digests: job.digests, area: self))
        }
    }

    /// Ends the copy's claim.
    func release(_ name: String) {
        claimed.withLock { _ = $0.remove(name) }
    }
}
