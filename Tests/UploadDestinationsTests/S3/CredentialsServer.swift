import AsyncHTTPClient
import Foundation
import Glibc
import Synchronization
import UploadDestinations
import Uploads

@testable import UploadTesting

/// An HTTP server on loopback that answers one request per connection, and records the requests.
final class CredentialsServer: Sendable {
    struct Request: Sendable {
        var method: String
        var path: String
        /// Names in lower case.
        var headers: [String: String]
        var body: String
    }

    struct Answer: Sendable {
        /// Empty: the connection is closed without an answer.
        var status: String
        var body: String

        static let none = Answer(status: "", body: "")

        static func json(_ id: String, end: String? = "2030-01-01T00:00:00Z") -> Answer {
            let end = end.map { #", "Expiration": "\#($0)""# } ?? ""
            let body =
                #"{"Code": "Success", "AccessKeyId": "\#(id)", "SecretAccessKey": "\#(secret)", "Token": "\#(token)"\#(end)}"#
            return Answer(status: "200 OK", body: body)
        }
    }

    static let secret = "top/secret+0123456789"
    static let token = "session/token+=="
    static let end = Date(timeIntervalSince1970: 1_893_456_000)

    static func credentials(_ id: String, expiresAt: Date? = end) -> AWSCredentials {
        AWSCredentials(accessKeyID: id, secretAccessKey: secret, sessionToken: token, expiresAt: expiresAt)
    }

    private final class Log: Sendable {
        let requests = Mutex<[Request]>([])
    }

    private let server: ScriptedServer
    private let log = Log()

    var url: String { "http://127.0.0.1:\(server.port)" }
    var requests: [Request] { log.requests.withLock { $0 } }

    /// - Parameter answer: nil for silence until the client gives up. Called on a separate thread for each request.
    init(_ answer: @escaping @Sendable (Request) -> Answer?) throws {
        let log = self.log
        server = try ScriptedServer { connection in
            let head = connection.readHead().components(separatedBy: "\r\n")
            let words = head[0].split(separator: " ").map(String.init)
            guard words.count == 3 else { return }
            var headers: [String: String] = [:]
            for line in head.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
            }
            var body = [UInt8](repeating: 0, count: headers["content-length"].flatMap { Int($0) } ?? 0)
            let count = body.isEmpty ? 0 : recv(connection.socket, &body, body.count, CInt(MSG_WAITALL))
            let request = Request(
                method: words[0], path: words[1], headers: headers,
                body: String(decoding: body.prefix(max(0, count)), as: UTF8.self))
            log.requests.withLock { $0.append(request) }
            guard let answer = answer(request) else { return connection.waitForClose() }
            if !answer.status.isEmpty { connection.answer(answer.status, body: answer.body) }
        }
    }
}

/// Runs the body with a client that fits S3 credentials, and shuts it down afterwards.
func withCredentialsClient<Value: Sendable>(_ body: (HTTPClient) async throws -> Value) async throws -> Value {
    let client = HTTPClient(configuration: HTTPConfiguration.clientConfiguration)
    let result: Result<Value, any Error>
    do {
        result = .success(try await body(client))
    } catch {
        result = .failure(error)
    }
    try await client.shutdown()
    return try result.get()
}

/// The error of a provider.
func failure(of provider: any AWSCredentialsProvider) async -> UploadError? {
    do {
        _ = try await provider.load()
        return nil
    } catch {
        return error
    }
}
