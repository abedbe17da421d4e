import Foundation
import NIOHTTP1
import Uploads

/// An answer that reports a failure, read from its error document and headers.
struct S3Failure: Sendable {
    let operation: String
    let status: Int
    /// S3's error code; empty where the answer has none (an answer to HEAD, or one of a proxy).
    let code: String
    let message: String
    let requestID: String?
    /// The bucket's region, where the server reports it.
    let region: String?
    /// The host to which a redirect leads.
    let host: String?
    let retryAfter: TimeInterval?
    let date: String?
    let isRedirect: Bool
    /// The beginning of a body that is not a document of S3, in brackets.
    let beginning: String
    /// The answer, without the parts of the signature, the keys and the token that S3 repeats.
    let response: ServerResponse

    init(_ reply: HTTPReply, operation: String) {
        let document = reply.errorDocument
        self.operation = operation
        status = reply.status
        code = document?.code ?? ""
        message = String((document?.message ?? "").prefix(500))
        beginning = document == nil ? reply.beginning : ""
        requestID = reply.header("x-amz-request-id") ?? document?.requestID
        region = reply.header("x-amz-bucket-region") ?? document?.region
        host =
            document?.endpoint
            ?? reply.header("location").flatMap { URLComponents(string: $0) }?.authority
        retryAfter = HTTPAnswer.retryAfter(reply.header("retry-after"))
        date = reply.header("date")
        isRedirect = (301..<400).contains(reply.status) && reply.status != 304
        let shown = code.isEmpty ? nil : Data("\(code): \(message)".utf8)
        response = ServerResponse(status: reply.status, headers: HTTPAnswer.chosen(reply.headers), body: shown)
    }

    var isThrottling: Bool { S3ErrorTable.throttling.contains(code) || [429, 503].contains(status) }
    var isClockSkew: Bool { ["RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture"].contains(code) }
    var areCredentialsExpired: Bool {
        ["ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired"].contains(code)
            || (status == 403 && message.hasPrefix("Request has expired"))
    }
    /// Whether the multipart upload that a request names is gone. AWS says NoSuchUpload, some other servers say NoSuchKey, and a server
    /// that closes the connection early says nothing: if the bucket itself is missing, the new upload will show it.
    var saysUploadIsGone: Bool {
        ["NoSuchUpload", "NoSuchKey"].contains(code) || (status == 404 && code.isEmpty)
    }
    /// Whether the failure concerns the requested object, not the bucket.
    var isAboutObject: Bool {
        status == 412 || (status == 404 && ["", "NoSuchKey", "NoSuchVersion", "NoSuchUpload"].contains(code))
    }
    /// Whether the bucket may be in another region or at another host.
    var isElsewhere: Bool {
        isRedirect || code == "AuthorizationHeaderMalformed" || code == "PermanentRedirect"
            || (status == 400 && region != nil)
    }
}

extension URLComponents {
    /// The host, with the port where there is one.
    fileprivate var authority: String? {
        encodedHost.map { host in port.map { "\(host):\($0)" } ?? host }
    }
}
