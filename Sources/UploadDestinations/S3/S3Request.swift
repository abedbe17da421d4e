import Foundation
import HTTPCalls
import NIOCore
import NIOHTTP1
import Uploads

/// A request without its address and signature.
struct S3Request: Sendable {
    enum Payload: Sendable {
        case none
        case data(Data)
        /// - Parameter sha256: the SHA-256 of all bytes, where bodies are signed.
        case stream(HTTPBody, sha256: String?)

        /// The body for a kept connection: all bytes of a small one, or a file; nil of any other.
        func kept(for displayURL: String, isSecure: Bool) async throws(UploadError) -> HTTPCall.Body? {
            switch self {
            case .none: return .bytes(ByteBuffer())
            case .data(let bytes): return .bytes(ByteBuffer(bytes: bytes))
            case .stream(let body, _) where body.size <= HTTPConnections.bodyBytesMaximum:
                return .bytes(try await body.collected(for: displayURL))
            // The kernel cannot encrypt.
            case .stream(let body, _): return isSecure ? nil : body.fileBody.map { .file($0) }
            }
        }
    }

    /// The API's name of the operation, for messages: `PutObject`.
    var operation: String
    var method: HTTPMethod
    /// The key; nil for the bucket itself.
    var key: String?
    var query: [SignableRequest.Parameter] = []
    var headers: [(name: String, value: String)] = []
    var payload = Payload.none
    /// The most bytes of an answer's body that are kept.
    var keptBytesMaximum = 64 << 10
    /// The receiver of a successful answer's body, which then is not kept.
    var download: HTTPDownload?

    /// Seconds from the status to the end of the answer; nil for a download.
    var restSeconds: TimeInterval? {
        if [Self.completion, Self.copy, Self.partCopy].contains(operation) { return S3Limits.completionSeconds }
        return method == .GET ? nil : HTTPExchange.restSeconds
    }

    static let completion = "CompleteMultipartUpload"
    static let copy = "CopyObject"
    static let partCopy = "UploadPartCopy"
}
