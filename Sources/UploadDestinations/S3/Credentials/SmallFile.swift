import Glibc
import Uploads

/// A file that is read whole.
enum SmallFile {
    /// Most that is read, in bytes: far more than any file of credentials has.
    static let bytesMaximum = 1 << 20

    /// - Returns: its text; nil when there is no such file.
    /// - Throws: `misconfigured` when it cannot be read. Somebody may be about to correct that, so it is worth a retry.
    static func read(_ path: String) throws(UploadError) -> String? {
        // Not blocking, so that a pipe without a writer does not hold a thread for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure(path, String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path, String(cString: strerror(errno)))
            }
            bytes += buffer[..<count]
            guard bytes.count <= bytesMaximum else { throw failure(path, "larger than 1 MiB") }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure(path, "no UTF-8 text") }
        return text
    }

    private static func failure(_ path: String, _ reason: String) -> UploadError {
        UploadError(
            .misconfigured, "\(path) cannot be read (\(reason)): correct its path or its rights", retry: .afterBackoff)
    }
}
