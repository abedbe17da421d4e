import Foundation
import LinuxFiles
import Uploads

extension OriginalFile {
    /// The threads that read one file.
    private static let readersMaximum = 4

    /// The digests of a file that is not copied.
    struct WholeDigests: Sendable {
        let whole: Digests
        let blocks: [CRC64NVME]
    }

    /// Reads the whole file.
    /// - Parameter sha256: whether to compute the SHA-256, too, for which one thread reads the file from its beginning to its end.
    /// - Throws: `sourceChanged` when the file changes meanwhile, `interrupted` when the task is cancelled.
    func digests(sha256: Bool) async throws(UploadError) -> WholeDigests {
        let digests = sha256 ? try await digestsInOrder() : try await checksums()
        try await Blocking.run { () throws(UploadError) in
            try verifyUnchanged()
            try verifyEnd()
        }
        return digests
    }

    private func digestsInOrder() async throws(UploadError) -> WholeDigests {
        var digester = FileDigester(sha256: true)
        var blocks: [CRC64NVME] = []
        var offset: Int64 = 0
        while offset < status.size {
            try StagingArea.checkCancellation()
            let (start, count) = (offset, Int(min(Int64(StagingArea.bufferBytes), status.size - offset)))
            let bytes = try await Blocking.run { () throws(UploadError) in try read(count, at: start) }
            bytes.withUnsafeBytes { digester.update($0) { blocks.append($0) } }
            offset += Int64(bytes.count)
        }
        return WholeDigests(whole: digester.finish { blocks.append($0) }, blocks: blocks)
    }

    /// Several tasks take one block after the other, so that a disk is still read nearly in order, and the checksums are combined.
    private func checksums() async throws(UploadError) -> WholeDigests {
        let ranges = stride(from: 0, to: status.size, by: Int(PartPlan.blockBytes)).map {
            $0..<min($0 + PartPlan.blockBytes, status.size)
        }
        let (blocks, failure) = await withTaskGroup(of: (Int, Result<CRC64NVME, UploadError>).self) { group in
            var next = 0
            func startNext() {
                guard next < ranges.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await readChecksum(of: ranges[index])) }
            }
            for _ in 0..<min(ProcessInfo.processInfo.activeProcessorCount, Self.readersMaximum) { startNext() }
            var blocks = Array(repeating: CRC64NVME(), count: ranges.count)
            var failure: UploadError?
            for await (index, result) in group {
                switch result {
                case .success(let checksum): blocks[index] = checksum
                case .failure(let error): failure = failure ?? error
                }
                if failure == nil { startNext() }
            }
            return (blocks, failure)
        }
        if let failure { throw failure }
        var whole = CRC64NVME()
        for (range, block) in zip(ranges, blocks) { whole.append(block, count: Int64(range.count)) }
        return WholeDigests(whole: Digests(crc64nvme: whole.hexadecimal), blocks: blocks)
    }

    private func readChecksum(of range: Range<Int64>) async -> Result<CRC64NVME, UploadError> {
        do throws(UploadError) { return .success(try await checksum(of: range)) } catch { return .failure(error) }
    }
}
