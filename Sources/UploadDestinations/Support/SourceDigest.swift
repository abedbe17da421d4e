import Crypto
import Foundation
import Uploads

/// A digest of a source's bytes, for servers that want it before the bytes. It costs one read of the bytes, a buffer at a time.
enum SourceDigest {
    /// The 16 bytes of the MD5 of the whole source, as `Content-MD5` wants them (RFC 1864).
    /// - Throws: the errors of `read`.
    static func md5(of source: any UploadSource) async throws(UploadError) -> Data {
        try await read(Insecure.MD5(), of: 0..<source.size, from: source)
    }

    /// - Throws: the source's `invalidFile` or `sourceChanged`.
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
