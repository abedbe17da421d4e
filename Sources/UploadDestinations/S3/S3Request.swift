import Foundation
import NIOCore
import NIOHTTP1
import Uploads

/// A request before it is addressed and signed.
struct S3Request: Sendable {
    enum Payload: Sendable {
        case none
        case data(Data)
        /// - Parameter sha256: of all its bytes, where bodies are signed.
        case stream(HTTPBody, sha256: String?)

        /// All of it, if it is small.
        func collected(for displayURL: String) async throws(UploadError) -> ByteBuffer? {
            switch self {
            case .none: return ByteBuffer()
            case .data(let bytes): return ByteBuffer(bytes: bytes)
            case .stream(let body, _):
                guard body.size <= HTTPConnections.bodyBytesMaximum else { return nil }
                return try await body.collected(for: displayURL)
            }
        }
    }

    /// The API's name of it, for messages: `PutObject`.
    var operation: String
    var method: HTTPMethod
    /// nil for the bucket itself.
    var key: String?
    var query: [SignableRequest.Parameter] = []
    var headers: [(name: String, value: String)] = []
    var payload = Payload.none
    /// Most of an answer's body that is kept, in bytes.
    var keptBytesMaximum = 64 << 10
    /// Where the body of a success goes, which is not kept then.
    var download: HTTPDownload?

    /// Seconds from the status to the end of the answer; nil where the body is what was asked for.
    var restSeconds: TimeInterval? {
        if operation == Self.completion { return S3Limits.completionSeconds }
        return method == .GET ? nil : HTTPExchange.restSeconds
    }

    static let completion = "CompleteMultipartUpload"
}
