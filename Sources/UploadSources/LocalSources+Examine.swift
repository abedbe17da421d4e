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
        let digests: Digests
        switch computed {
        case .none:
            digests = Digests()
            try await Blocking.run { () throws(UploadError) in try original.verifyEnd() }
        case .crc64nvme: digests = try await original.digests(sha256: false).whole
        case .sha256: digests = try await original.digests(sha256: true).whole
        }
        return StagedFile(
            reference: .file(path: original.path, identity: original.identity), size: original.status.size,
            digests: digests)
    }
}
