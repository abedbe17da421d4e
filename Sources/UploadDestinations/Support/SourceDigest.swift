import Crypto
import Foundation
import Uploads

/// A digest of what a source holds, for servers that want one before the bytes: costs a read, a buffer at a time.
enum SourceDigest {
    /// The 16 bytes of an MD5 of all of it, as `Content-MD5` wants them (RFC 1864).
    /// - Throws: as `read`.
    static func md5(of source: any UploadSource) async throws(UploadError) -> Data {
        try await read(Insecure.MD5(), of: 0..<source.size, from: source)
    }

    /// - Throws: `invalidFile`, `sourceChanged`, as the source throws it.
    static func read(
        _ function: some HashFunction, of range: Range<Int64>, from source: any UploadSource
    ) async throws(UploadError) -> Data {
        var function = function
        do {
            for try await buffer in source.read(range) {
                buffer.withUnsafeBytes { function.update(bufferPointer: $0) }
            }
        } catch let error as UploadError {
            throw error
        } catch {
            throw UploadError(.invalidFile, "the source cannot be read", cause: error)
        }
        return Data(function.finalize())
    }
}
