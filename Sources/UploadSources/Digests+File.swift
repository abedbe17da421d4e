import LinuxFiles
public import Uploads

extension Digests {
    /// SHA-256 and CRC-64/NVME of a file that is uploaded from where it lies.
    /// - Throws: `invalidFile`, `sourceChanged` when size or time changed meanwhile, `interrupted` when the task is cancelled.
    public init(ofFileAt path: String) async throws(UploadError) {
        let original = try await Blocking.run { () throws(UploadError) in try OriginalFile(opening: path) }
        var digester = FileDigester()
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
        self = digester.finish { _ in }
    }
}
