import Foundation
import LinuxFiles
public import Uploads

extension LocalSources {
    /// Reads a file that is to be uploaded in place, for the job of `--no-stage`.
    /// - Parameters:
    ///   - path: a relative path begins at the current directory. The job gets the resolved path: absolute, and without links.
    ///   - sha256: whether the digests include the SHA-256.
    /// - Throws: `invalidFile`, `sourceChanged` when the file changes meanwhile, `interrupted` when the task is cancelled.
    public static func examine(fileAt path: FilePath, sha256: Bool = false) async throws(UploadError) -> StagedFile {
        let original = try await Blocking.run { () throws(UploadError) in
            try OriginalFile(inPlace: try OriginalFile.resolve(path), below: ["/"])
        }
        var digester = FileDigester(sha256: sha256)
        while true {
            try StagingArea.checkCancellation()
            let offset = digester.size
            let bytes = try await Blocking.run { () throws(UploadError) in
                do throws(SystemError) {
                    return try original.file.read(StagingArea.bufferBytes, at: offset)
                } catch {
                    throw UploadError(source: error)
                }
            }
            if bytes.isEmpty { break }
            bytes.withUnsafeBytes { digester.update($0) { _ in } }
        }
        try await Blocking.run { () throws(UploadError) in try original.verifyUnchanged() }
        let size = digester.size
        return StagedFile(
            reference: .file(path: original.path, modifiedAt: original.status.modifiedAt), size: size,
            digests: digester.finish { _ in })
    }
}
