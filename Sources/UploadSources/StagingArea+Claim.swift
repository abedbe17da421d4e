import LinuxFiles
import Synchronization
import Uploads

extension StagingArea {
    /// Opens and locks a copy for a slice.
    func claim(_ name: String, for job: UploadJob) async throws(UploadError) -> SourceClaim {
        try await Blocking.run { [self] () throws(UploadError) in
            let copy: LockedCopy
            let blocks: BlockDigests.Found
            do throws(SystemError) {
                switch try LockedCopy.lock(name, in: self) {
                case .busy: return .busy
                case .gone: return .gone
                case .locked(let locked): copy = locked
                }
                blocks = try blockDigests(name, copy.status.size, for: job)
            } catch {
                throw UploadError(source: error)
            }
            guard copy.status.kind == .regular, copy.status.size == job.size else {
                throw UploadError(
                    .sourceChanged,
                    "the staged copy \(copy.file.path) has \(copy.status.size) bytes, the job says \(job.size): enqueue the file again"
                )
            }
            if case .unfit = blocks, job.digests == Digests() {
                throw UploadError(
                    .invalidFile,
                    "\(copy.file.path) has damaged digests, and its job has none: enqueue the file again")
            }
            let source = FileSource(copy, name: name, blocks: blocks, digests: job.digests, area: self)
            claimed.withLock { _ = $0.insert(name) }
            return .claimed(source)
        }
    }

    private func blockDigests(
        _ name: String, _ size: Int64, for job: UploadJob
    ) throws(SystemError) -> BlockDigests.Found {
        if size <= PartPlan.blockBytes, let digest = job.digests.crc64nvme.flatMap({ UInt64($0, radix: 16) }) {
            return .sealed(BlockDigests(only: CRC64NVME(digest)))
        }
        return try BlockDigests.open(name + BlockDigests.suffix, of: size, in: directory)
    }

    /// Ends the copy's claim.
    func release(_ name: String) {
        claimed.withLock { _ = $0.remove(name) }
    }
}
