import Foundation

/// Inspects an S3 server without any code under test: boto3 in a Python process, which this value has for itself. Calls may come from any
/// task; they are answered one after the other.
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

    private let process: S3ObserverProcess

    public init(_ endpoint: S3Endpoint) async throws {
        process = try await S3ObserverProcess.take()
        try await ask(
            "open",
            [
                "url": endpoint.url, "region": endpoint.region, "id": endpoint.accessKey, "secret": endpoint.secretKey,
            ], Nothing?.self)
    }

    deinit { process.giveBack() }

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
            Thread.detachNewThread { done.resume(with: Swift.Result { try self.process.exchange(Array(line)) }) }
        }
        if let refusal = try? JSONDecoder().decode(Refusal.self, from: answer) {
            throw Failure(status: refusal.status, code: refusal.code, message: refusal.message)
        }
        return try JSONDecoder().decode(Answer<Result>.self, from: answer).result
    }
}
