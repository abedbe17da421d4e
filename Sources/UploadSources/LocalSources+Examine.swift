import Foundation
import LinuxFiles
public import Uploads

extension LocalSources {
    /// The digests for which a file in place is read before its job is published.
    public enum ComputedDigests: Sendable {
        case none
        case crc64nvme
        /// Both.
        case sha256
    }

    /// The threads that read one file.
    private static let readersMaximum = 4
    /// The most pieces into which a file is divided for them.
    private static let stretchesMaximum: Int64 = 4096

    /// Looks at a file that is to be uploaded in place, for the job of `--no-stage`.
    /// - Parameters:
    ///   - path: a relative path begins at the current directory. The job gets the resolved path: absolute, and without links.
    ///   - computing: the digests for which the file is read. Without any, the workers compute the checksum of what they send.
    /// - Throws: `invalidFile`, `sourceChanged` when the file changes meanwhile, `interrupted` when the task is cancelled.
    public static func examine(
        fileAt path: FilePath, computing computed: ComputedDigests = .none
    ) async throws(UploadError) -> StagedFile {
        let original = try await Blocking.run { () throws(UploadError) in
            try OriginalFile(inPlace: try OriginalFile.resolve(path), below: ["/"])
        }
        let size = original.status.size
        let digests: Digests
        switch computed {
        case .none: digests = Digests()
        case .crc64nvme: digests = Digests(crc64nvme: try await checksum(of: original).hexadecimal)
        // One thread reads the file from its beginning to its end.
        case .sha256:
            var digester = FileDigester(sha256: true)
            try await read(0..<size, of: original) { digester.update($0) { _ in } }
            digests = digester.finish { _ in }
        }
        try await Blocking.run { () throws(UploadError) in
            try original.verifyUnchanged()
            try original.verifyEnd()
        }
        return StagedFile(
            reference: .file(path: original.path, identity: original.identity), size: size, digests: digests)
    }

    /// Several tasks take one stretch after the other, so that a disk is still read nearly in order, and the checksums are combined.
    private static func checksum(of original: OriginalFile) async throws(UploadError) -> CRC64NVME {
        let size = original.status.size
        let stretchBytes = max(PartPlan.blockBytes, size / stretchesMaximum)
        let stretches = stride(from: 0, to: size, by: Int(stretchBytes)).map { $0..<min($0 + stretchBytes, size) }
        let checksums = await withTaskGroup(of: (Int, Result<CRC64NVME, UploadError>).self) { group in
            var next = 0
            func startNext() {
                guard next < stretches.count else { return }
                let index = next
                next += 1
                group.addTask { (index, await checksum(of: stretches[index], of: original)) }
            }
            for _ in 0..<min(ProcessInfo.processInfo.activeProcessorCount, readersMaximum) { startNext() }
            var checksums: [Int: Result<CRC64NVME, UploadError>] = [:]
            for await (index, checksum) in group {
                checksums[index] = checksum
                if case .failure = checksum { next = stretches.count } else { startNext() }
            }
            return checksums
        }
        for case .failure(let error) in checksums.values { throw error }
        var whole = CRC64NVME()
        for (index, stretch) in stretches.enumerated() {
            guard case .success(let checksum)? = checksums[index] else { throw StagingArea.interrupted }
            whole.append(checksum, count: Int64(stretch.count))
        }
        return whole
    }

    private static func checksum(
        of range: Range<Int64>, of original: OriginalFile
    ) async -> Result<CRC64NVME, UploadError> {
        do throws(UploadError) {
            return .success(try await original.checksum(of: range))
        } catch {
            return .failure(error)
        }
    }

    /// Hands the bytes of a range over in their order, off the cooperative threads.
    private static func read(
        _ range: Range<Int64>, of original: OriginalFile, _ take: (UnsafeRawBufferPointer) -> Void
    ) async throws(UploadError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            try StagingArea.checkCancellation()
            let (start, count) = (offset, Int(min(Int64(StagingArea.bufferBytes), range.upperBound - offset)))
            let bytes = try await Blocking.run { () throws(UploadError) in try original.read(count, at: start) }
            bytes.withUnsafeBytes(take)
            offset += Int64(bytes.count)
        }
    }
}
