import Glibc
import LinuxFiles
public import Uploads

/// Removes the name of a file whose bytes a job has.
public enum MovedOriginal {
    /// Gives the file another name first and looks at what has it then, so that a file that replaced it in the meantime is never removed.
    /// - Parameters:
    ///   - identity: of the file when its bytes were read.
    ///   - size: in bytes, at the same time.
    /// - Throws: `sourceChanged` when another file is there, which keeps its name; `invalidFile` when the file cannot be removed.
    public static func remove(
        _ path: FilePath, if identity: FileIdentity, of size: Int64
    ) async throws(UploadError) {
        try await Blocking.run { () throws(UploadError) in
            let aside = path.beside(".longshore-moved-\(JobID().rawValue)")
            do throws(SystemError) {
                try File.rename(path.bytes, to: aside.bytes, named: path.description)
                // Of a symbolic link the name goes, and the file that it names stays.
                let found = try? OriginalFile(opening: aside)
                if let found, found.status.size == size, found.identity.agrees(with: identity) {
                    return try File.remove(bytes: aside.bytes, named: aside.description)
                }
                try File.rename(aside.bytes, to: path.bytes, named: aside.description)
            } catch  where error.path == aside.description {
                throw UploadError(
                    .invalidFile,
                    "\(path) was enqueued; what was there is \(aside) now, and can be neither removed nor given its name back "
                        + "(\(error.reason)): look at it", cause: error)
            } catch {
                throw UploadError(
                    .invalidFile,
                    "\(path) was enqueued, but cannot be removed (\(error.reason)): remove it yourself", cause: error)
            }
            throw UploadError(
                .sourceChanged, "\(path) was enqueued, and has changed since: it stays; enqueue what it is now")
        }
    }
}

extension FilePath {
    /// The path of another name in the same directory.
    fileprivate func beside(_ name: String) -> FilePath {
        let directory = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[...$0] } ?? []
        return FilePath(bytes: directory + Array(name.utf8))
    }
}
