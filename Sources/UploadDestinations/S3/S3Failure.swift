import Foundation
import NIOHTTP1
import Uploads

/// An answer that is no success: what the error document and the headers say.
struct S3Failure: Sendable {
    let operation: String
    let status: Int
    /// S3's word for it; empty where the answer has none (HEAD, a proxy on the way).
    let code: String
    let message: String
    let requestID: String?
    /// The region that the bucket is in, where the server tells.
    let region: String?
    /// The host that a redirect leads to.
    let host: String?
    let retryAfter: TimeInterval?
    let date: String?
    let isRedirect: Bool
    /// What the body begins with where it is no document of S3, in brackets.
    let beginning: String
    /// Without what S3 repeats of the signature, the keys and the token.
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
    /// Of a request that names a multipart upload. It is NoSuchUpload at AWS, NoSuchKey at some other servers, and nothing at all
    /// where the server closed the connection before its reason arrived: whether the place exists, beginning anew tells.
    var saysUploadIsGone: Bool {
        ["NoSuchUpload", "NoSuchKey"].contains(code) || (status == 404 && code.isEmpty)
    }
    /// Whether it is said of the object that was asked for, and not of the place.
    var isAboutObject: Bool {
        status == 412 || (status == 404 && ["", "NoSuchKey", "NoSuchVersion", "NoSuchUpload"].contains(code))
    }
    /// Whether another region or host may have the bucket.
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
