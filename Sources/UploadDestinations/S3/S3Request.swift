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

        /// The whole body, if it is small.
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
