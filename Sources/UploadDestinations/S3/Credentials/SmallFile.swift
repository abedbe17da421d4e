import Glibc
import Uploads

/// Reads a small file as a whole.
enum SmallFile {
    /// The most bytes that are read: far more than any file of credentials has.
    static let bytesMaximum = 1 << 20

    /// - Returns: the file's text; nil when there is no such file.
    /// - Throws: `misconfigured` when it cannot be read. A retry is worth it: the operator may be about to correct it.
    static func read(_ path: String) throws(UploadError) -> String? {
        // Does not block, so that a pipe without a writer does not hold a thread for ever.
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
