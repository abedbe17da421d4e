import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadDestinations

/// The profile for Imgur. A server that parses forms takes them; the answers are copied from the API's documentation
/// (https://apidocs.imgur.com), whose headings the tests name. The tests have never spoken with Imgur itself.
@Suite(.timeLimit(.minutes(10)))
struct HTTPImgurTests {
    private static let clientID = "546c25a59c58ad7"

    /// "Data Models", "Image": the answer to "Image Upload".
    private static let stored = """
        {"data": {"id": "orunSTu", "title": null, "type": "image/png", "size": 42, "deletehash": "x70po4w7BVvSUzZ",
        "link": "https:\\/\\/i.imgur.com\\/orunSTu.png"}, "success": true, "status": 200}
        """

    /// "Data Models", "Basic": the answer of a failure, with the method and path of the request.
    private static func failed(_ status: Int, _ error: String) -> String {
        #"{"data": {"error": \#(error), "request": "\/3\/image", "method": "POST"}, "success": false, "status": \#(status)}"#
    }

    private func configuration(_ bench: HTTPBench) throws -> HTTPConfiguration {
        var configuration = try HTTPConfiguration.imgur(url: bench.url("3/image"))
        configuration.headers["Authorization"] = "Client-ID \(Self.clientID)"
        return configuration
    }

    private func withServer(_ body: (HTTPBench, FormServer) async throws -> Void) async throws {
        let server = try await FormServer.start(authorization: "Client-ID \(Self.clientID)")
        try await HTTPBench.with(server.port) { bench in try await body(bench, server) }
    }

    private func answer(_ bench: HTTPBench, _ status: Int, _ text: String, _ headers: [(String, String)] = []) {
        bench.proxy.setRule { _ in
            .rewriteAnswer { answer in
                answer.status = status
                answer.body = Array(text.utf8)
                for (name, value) in headers { answer.setHeader(name, value) }
            }
        }
    }

    /// "Image Upload"
    @Test func `an image goes up with its fields, and the answer says where it is and how to remove it`() async throws {
        try await withServer { bench, server in
            let left = [("X-RateLimit-UserRemaining", "1240"), ("X-Post-Rate-Limit-Remaining", "7")]
            answer(bench, 200, Self.stored, left)
            let job = bench.job(key: "2026/cat.png", metadata: ["title": "Café \"noir\"", "album": "hash1"])
            let completed = try await bench.carry(job, configuration(bench))
            let upload = try #require(try server.uploads().last)
            #expect(upload.path == "3/image")
            #expect(upload.field == "image" && upload.bytes == [1, 2, 3])
            #expect(upload.filename == "cat.png")
            #expect(
                upload.fields == [
                    "type": ["file"], "name": ["cat.png"], "title": ["Café \"noir\""], "album": ["hash1"],
                ])
            #expect(upload.headers["authorization"] == "Client-ID \(Self.clientID)")
            #expect(completed.object.location == "https://i.imgur.com/orunSTu.png")
            #expect(completed.response?.body?.contains("x70po4w7BVvSUzZ") == true)
            #expect(completed.response?.headers["x-ratelimit-userremaining"] == "1240")
            #expect(completed.response?.headers["x-post-rate-limit-remaining"] == "7")
        }
    }

    /// "Response Codes", and "Data Models", "Basic".
    @Test(arguments: [
        (400, 400, "File type invalid (1)", UploadError.Code.rejected, UploadError.Retry.never),
        (200, 400, "No image data was sent to the upload api", .rejected, .never),
        (401, 401, "Malformed auth header", .wrongCredentials, .never),
        (403, 403, "The client id is invalid", .accessDenied, .never),
        (404, 404, "Unable to find", .destinationNotFound, .never),
        (413, 413, "File is over the size limit", .rejected, .never),
        (429, 429, "Too Many Requests", .rateLimited, .afterBackoff),
        (500, 500, "Internal error", .serverFailure, .afterBackoff),
        (200, 500, "Imgur is temporarily over capacity", .serverFailure, .afterBackoff),
        (200, 200, "Something else", .serverFailure, .afterBackoff),
    ])
    func `a failure is told with what the API says`(
        status: Int, inside: Int, text: String, code: UploadError.Code, retry: UploadError.Retry
    ) async throws {
        try await withServer { bench, _ in
            for error in [#""\#(text)""#, #"{"code": 1003, "message": "\#(text)", "type": "ImgurException"}"#] {
                answer(bench, status, Self.failed(inside, error))
                let failure = try await bench.failure(bench.job(), configuration(bench))
                #expect(failure.code == code && failure.retry == retry)
                #expect(failure.message.contains(text))
                #expect(failure.response?.status == status)
            }
        }
    }

    /// "Rate Limits": the user's credits return at a given time, POSTs after a number of seconds.
    @Test func `a limit that is used up is waited for`() async throws {
        try await withServer { bench, _ in
            func failure(_ status: Int, _ headers: [(String, String)]) async throws -> UploadError {
                answer(bench, status, Self.failed(status, "\"no credits\""), headers)
                return try await bench.failure(bench.job(), configuration(bench))
            }
            let posts = [("X-Post-Rate-Limit-Remaining", "0"), ("X-Post-Rate-Limit-Reset", "1500")]
            var error = try await failure(429, posts)
            #expect(error.code == .rateLimited && error.retry == .after(seconds: 1500))
            let reset = Int(Date().timeIntervalSince1970) + 900
            error = try await failure(429, [("X-RateLimit-UserRemaining", "0"), ("X-RateLimit-UserReset", "\(reset)")])
            guard case .after(let seconds) = error.retry else {
                Issue.record("the time was not understood: \(error.retry)")
                return
            }
            #expect(seconds > 0 && seconds <= 901)
            // "check that you haven't run out of API credits"
            error = try await failure(403, [("X-RateLimit-ClientRemaining", "0")])
            #expect(error.code == .rateLimited && error.retry == .after(seconds: 3600))
            error = try await failure(429, [("Retry-After", "9"), ("X-Post-Rate-Limit-Remaining", "3")])
            #expect(error.retry == .after(seconds: 9))
            answer(bench, 400, Self.failed(400, #"{"code": 429, "message": "You are uploading too fast"}"#))
            #expect(try await bench.failure(bench.job(), configuration(bench)).code == .rateLimited)
        }
    }

    @Test func `what is no answer of the API is no success, and the client's id is never shown`() async throws {
        try await withServer { bench, _ in
            answer(bench, 200, "<html>captive portal for Client-ID \(Self.clientID)</html>")
            var error = try await bench.failure(bench.job(), configuration(bench))
            #expect(error.code == .invalidResponse)
            #expect(error.response?.body == "<html>captive portal for [hidden]</html>")
            answer(bench, 403, Self.failed(403, "\"unknown id \(Self.clientID)\""))
            error = try await bench.failure(bench.job(), configuration(bench))
            #expect(error.message.contains("unknown id [hidden]"))
            #expect(!"\(error) \(error.response as Any)".contains(Self.clientID))
        }
    }

    @Test func `what is too large is known before it is sent`() async throws {
        try await withServer { bench, _ in
            var job = bench.job()
            job.size = (20 << 20) + 1
            let destination = try bench.destination(configuration(bench))
            let error = await #expect(throws: UploadError.self) { try await destination.open(job, resuming: nil) }
            #expect(error?.code == .rejected && error?.message.contains("20971520") == true)
            #expect(bench.proxy.requests.isEmpty)
        }
    }
}
