import Foundation
import Glibc
import Synchronization

/// Inspects an S3 server without any code under test: boto3 in a Python process of its own, which ends
/// with this value. Calls may come from any task; they are answered one after the other.
public final class S3Observer: Sendable {
    /// The error of the server or of boto3. `status` is 0 when there was no answer.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        public let status: Int
        public let code: String
        public let message: String
        public var description: String { "\(status) \(code): \(message)" }
    }

    public struct Head: Sendable, Decodable {
        public let size: Int
        /// With its quotes.
        public let etag: String
        /// The metadata, with names in lower case.
        public let metadata: [String: String]
        public let contentType: String
        /// All header fields of the answer, with names in lower case.
        public let headers: [String: String]
    }

    public struct Upload: Sendable, Decodable {
        public let key: String
        public let uploadId: String
        /// The time of its beginning, in seconds since 1970.
        public let initiated: Double
    }

    public struct Part: Sendable, Codable, Equatable {
        public let number: Int
        public let size: Int
        /// With its quotes.
        public let etag: String

        public init(number: Int, size: Int, etag: String) {
            self.number = number
            self.size = size
            self.etag = etag
        }
    }

    private let pid: pid_t
    /// A socket whose other end is the process's standard input and output.
    private let socket: CInt
    /// Held during a request and its answer.
    private let turn = Mutex(())

    public init(_ endpoint: S3Endpoint) async throws {
        let python = try await TestProgram.python(with: "boto3")
        var ends: [CInt] = [0, 0]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw DidNotHappen("no socket pair, errno \(errno)") }
        defer { close(ends[1]) }
        do {
            pid = try Spawn.run(
                python, [TestProgram.script("s3-observer.py"), endpoint.url, endpoint.region],
                environment: [
                    "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
                    "AWS_ACCESS_KEY_ID": endpoint.accessKey, "AWS_SECRET_ACCESS_KEY": endpoint.secretKey,
                    "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
                    "AWS_EC2_METADATA_DISABLED": "true",
                ], descriptors: [0: ends[1], 1: ends[1]])
        } catch {
            close(ends[0])
            throw error
        }
        socket = ends[0]
    }

    deinit {
        close(socket)
        kill(pid, SIGKILL)
        while waitpid(pid, nil, 0) == -1 && errno == EINTR {}
    }

    public func createBucket(_ bucket: String) async throws {
        try await ask("createBucket", ["bucket": bucket], Nothing?.self)
    }

    /// - Parameter options: more arguments of boto3's `put_object`, such as `ContentType`.
    /// - Returns: the ETag.
    @discardableResult
    public func put(
        _ bucket: String, _ key: String, _ bytes: [UInt8], metadata: [String: String] = [:],
        options: [String: String] = [:]
    ) async throws -> String {
        try await ask(
            "put",
            [
                "bucket": bucket, "key": key, "body": Data(bytes).base64EncodedString(), "metadata": metadata,
                "headers": options,
            ])
    }

    /// - Returns: nil when there is no such object.
    public func get(_ bucket: String, _ key: String) async throws -> [UInt8]? {
        let text: String? = try await unlessMissing { try await ask("get", ["bucket": bucket, "key": key]) }
        return text.flatMap { Data(base64Encoded: $0) }.map(Array.init)
    }

    /// - Returns: nil when there is no such object.
    public func head(_ bucket: String, _ key: String) async throws -> Head? {
        try await unlessMissing { try await ask("head", ["bucket": bucket, "key": key]) }
    }

    public func delete(_ bucket: String, _ key: String) async throws {
        try await ask("delete", ["bucket": bucket, "key": key], Nothing?.self)
    }

    /// The object's digest in hexadecimal, for objects of any size.
    public func sha256(_ bucket: String, _ key: String) async throws -> String {
        try await ask("sha256", ["bucket": bucket, "key": key])
    }

    public func listKeys(_ bucket: String, prefix: String = "") async throws -> [String] {
        try await ask("listKeys", ["bucket": bucket, "prefix": prefix])
    }

    /// Open multipart uploads.
    public func listUploads(_ bucket: String) async throws -> [Upload] {
        try await ask("listUploads", ["bucket": bucket])
    }

    public func listParts(_ bucket: String, _ key: String, _ uploadId: String) async throws -> [Part] {
        try await ask("listParts", ["bucket": bucket, "key": key, "upload": uploadId])
    }

    /// - Returns: the upload's id.
    public func startUpload(
        _ bucket: String, _ key: String, metadata: [String: String] = [:]
    ) async throws -> String {
        try await ask("startUpload", ["bucket": bucket, "key": key, "metadata": metadata])
    }

    /// - Returns: the part's ETag.
    @discardableResult
    public func uploadPart(
        _ bucket: String, _ key: String, _ uploadId: String, number: Int, _ bytes: [UInt8]
    ) async throws -> String {
        try await ask(
            "uploadPart",
            [
                "bucket": bucket, "key": key, "upload": uploadId, "number": number,
                "body": Data(bytes).base64EncodedString(),
            ])
    }

    /// - Returns: the object's ETag.
    @discardableResult
    public func complete(
        _ bucket: String, _ key: String, _ uploadId: String, _ parts: [Part]
    ) async throws -> String {
        let parts: [[String: Any]] = parts.map { ["number": $0.number, "etag": $0.etag] }
        return try await ask("complete", ["bucket": bucket, "key": key, "upload": uploadId, "parts": parts])
    }

    public func abort(_ bucket: String, _ key: String, _ uploadId: String) async throws {
        try await ask("abort", ["bucket": bucket, "key": key, "upload": uploadId], Nothing?.self)
    }

    public func tagging(_ bucket: String, _ key: String) async throws -> [String: String] {
        try await ask("tagging", ["bucket": bucket, "key": key])
    }

    private struct Nothing: Decodable {}

    private struct Answer<Result: Decodable>: Decodable {
        let result: Result
    }

    private struct Refusal: Decodable {
        let status: Int
        let code: String
        let message: String
    }

    private func unlessMissing<Result>(_ body: () async throws -> Result) async throws -> Result? {
        do {
            return try await body()
        } catch let failure as Failure where ["404", "NoSuchKey"].contains(failure.code) {
            return nil
        }
    }

    @discardableResult
    private func ask<Result: Decodable>(
        _ verb: String, _ fields: [String: Any], _ type: Result.Type = Result.self
    ) async throws -> Result {
        var fields = fields
        fields["verb"] = verb
        let line = try JSONSerialization.data(withJSONObject: fields) + [10]
        let answer: Data = try await withCheckedThrowingContinuation { done in
            // On a thread of its own, because it waits for another process.
            Thread.detachNewThread { done.resume(with: Swift.Result { try self.exchange(Array(line)) }) }
        }
        if let refusal = try? JSONDecoder().decode(Refusal.self, from: answer) {
            throw Failure(status: refusal.status, code: refusal.code, message: refusal.message)
        }
        return try JSONDecoder().decode(Answer<Result>.self, from: answer).result
    }

    private func exchange(_ line: [UInt8]) throws -> Data {
        try turn.withLock { _ in
            var sent = 0
            while sent < line.count {
                let count = line[sent...].withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard count > 0 || errno == EINTR else { throw DidNotHappen("the observer ended, errno \(errno)") }
                sent += max(count, 0)
            }
            var answer = Data()
            var chunk = [UInt8](repeating: 0, count: 1 << 18)
            while answer.last != 10 {
                let count = recv(socket, &chunk, chunk.count, 0)
                guard count > 0 || (count < 0 && errno == EINTR) else { throw DidNotHappen("the observer ended") }
                chunk.withUnsafeBytes { answer.append(contentsOf: $0.prefix(max(count, 0))) }
            }
            return answer
        }
    }
}
