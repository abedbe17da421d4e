import Foundation
import NIOHTTP1
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// Refusals of the server, and the messages that users get.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct S3RefusalTests {
    private func refusal(
        _ change: (inout S3Configuration, inout S3Endpoint) -> Void
    ) async throws -> UploadError? {
        var error: UploadError?
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            var endpoint = bench.endpoint
            var configuration = bench.configuration
            change(&configuration, &endpoint)
            let destination = try bench.destination(configuration, credentials: StaticCredentials(endpoint))
            let job = try bench.job([1], key: "refused")
            let session = try await destination.open(job, resuming: nil)
            error = await #expect(throws: UploadError.self) {
                try await bench.conformance().send(of: job, to: session)
            }
        }
        return error
    }

    @Test func `a wrong secret fails at once, and says which key to correct`() async throws {
        let error = try await refusal { $1.secretKey = "wrong" }
        #expect(error?.code == .wrongCredentials)
        #expect(error?.retry == .never)
        #expect(error?.message.contains("secretAccessKey") == true)
        #expect(error?.message.contains("[request tx") == true, "the request's id is told")
    }

    @Test func `an unknown access key fails at once`() async throws {
        let error = try await refusal { $1.accessKey = "nobody:here" }
        #expect(error?.code == .wrongCredentials || error?.code == .accessDenied)
        #expect(error?.retry == .never)
    }

    @Test func `a missing bucket is the destination's trouble`() async throws {
        let error = try await refusal { configuration, _ in configuration.bucket = "no-such-bucket-here" }
        #expect(error?.code == .destinationAway)
        #expect(error?.message.contains("create it or correct the destination's bucket") == true)
    }

    @Test func `what the server repeats of the signature is not shown`() async throws {
        let error = try #require(try await refusal { $1.secretKey = "wrong" })
        let shown = "\(error) \(error.response?.body ?? "") \(error.response?.headers.description ?? "")"
        #expect(!shown.contains("AWS4-HMAC-SHA256"))
        #expect(!shown.contains("StringToSign"))
    }

    @Test func `a wrong checksum is refused and sent again`() async throws {
        try await S3Bench.with(OpenStackSwiftServer.shared().endpoint) { bench in
            let job = try bench.job([1, 2, 3], key: "sum")
            let upload = S3Upload(
                target: try S3Target(job, bench.configuration), client: try bench.destination().client)
            let source = AsyncThrowingStream<any SourceBuffer, any Error> { continuation in
                continuation.yield([1, 2, 3])
                continuation.finish()
            }
            let body = HTTPBody(source: source, size: 3, sent: { _ in })
            let wrong = S3Digest(checksum: Data(repeating: 7, count: 8).base64EncodedString())
            guard case .failure(let failure) = try await upload.put(body, wrong, .none) else {
                Issue.record("a wrong checksum was taken")
                return
            }
            let error = failure.error(at: "here")
            #expect(error.code == .checksumMismatch)
            #expect(error.retry == .afterBackoff)
            #expect(try await bench.observer.head(bench.bucket, "sum") == nil)
        }
    }

    @Test(arguments: [
        ("SlowDown", 503, UploadError.Code.rateLimited, true), ("InternalError", 500, .serverFailure, true),
        ("RequestTimeout", 400, .networkFailure, true), ("ExpiredToken", 400, .wrongCredentials, true),
        ("NoSuchUpload", 404, .sessionExpired, true), ("EntityTooSmall", 400, .invalidResponse, true),
        ("InvalidPart", 400, .invalidResponse, true), ("EntityTooLarge", 400, .rejected, false),
        ("PreconditionFailed", 412, .preconditionFailed, false), ("AccessDenied", 403, .accessDenied, false),
        ("QuotaExceeded", 403, .noSpace, true), ("KMS.DisabledException", 400, .misconfigured, true),
        ("SomethingNew", 502, .serverFailure, true), ("SomethingNew", 400, .rejected, false),
        ("", 504, .serverFailure, true), ("", 429, .rateLimited, true),
    ])
    func `codes go before statuses`(code: String, status: Int, expected: UploadError.Code, retries: Bool) {
        let body =
            code.isEmpty ? "" : "<Error><Code>\(code)</Code><Message>m&#34;</Message><RequestId>r1</RequestId></Error>"
        let reply = HTTPReply(status: status, headers: [:], body: Data(body.utf8), isWhole: true)
        let error = S3Failure(reply, operation: "PutObject").error(at: "https://host/b/k")
        #expect(error.code == expected)
        #expect((error.retry != .never) == retries)
        #expect(error.message.hasPrefix("PutObject https://host/b/k was answered \(status)"))
        #expect(code.isEmpty || error.message.hasSuffix(" (it says: m\") [request r1]"), "\(error.message)")
    }

    @Test func `of an answer that is no document of S3 the beginning is told`() {
        let body = "<html>\n  <body>Request\tEntity Too Large</body></html>"
        let reply = HTTPReply(status: 400, headers: [:], body: Data(body.utf8), isWhole: true)
        let message = S3Failure(reply, operation: "PutObject").error(at: "https://host/b/k").message
        #expect(
            message.hasSuffix(
                "names in job or destination (it begins: <html> <body>Request Entity Too Large</body></html>)"),
            "\(message)")
    }

    @Test func `only the end of a multipart upload is given minutes to answer, and what is read as long as it moves`() {
        func seconds(_ operation: String, _ method: HTTPMethod) -> TimeInterval? {
            S3Request(operation: operation, method: method).restSeconds
        }
        #expect(seconds("CreateMultipartUpload", .POST) == HTTPExchange.restSeconds)
        #expect(seconds("UploadPart", .PUT) == HTTPExchange.restSeconds)
        #expect(seconds("CompleteMultipartUpload", .POST) == S3Limits.completionSeconds)
        #expect(S3Limits.completionSeconds < 1500, "less than a slot is held for a step that cannot be cut")
        #expect(seconds("ListParts", .GET) == nil)
    }

    @Test func `Retry-After is honoured`() {
        let reply = HTTPReply(
            status: 503, headers: ["retry-after": "7"], body: Data("<Error><Code>SlowDown</Code></Error>".utf8),
            isWhole: true)
        #expect(S3Failure(reply, operation: "PutObject").error(at: "x").retry == .after(seconds: 7))
    }
}
