import Foundation
import NIOHTTP1
import Uploads

/// The requests of one job's object, one method each.
struct S3Upload: Sendable {
    let target: S3Target
    let client: S3Client

    private var configuration: S3Configuration { client.configuration }
    private var objectHeaders: S3ObjectHeaders { S3ObjectHeaders(settings: configuration.object) }

    var location: String { client.location(target.key) }

    func put(
        _ body: HTTPBody, _ digest: S3Digest, _ condition: WriteCondition
    ) async throws(UploadError) -> S3Client.Answer {
        var request = self.request("PutObject", .PUT)
        request.headers = try objectHeaders.ofCreation(target) + checksum(configuration.checksum, digest.checksum)
        request.headers += condition.headers
        request.payload = .stream(body, sha256: digest.sha256)
        return try await client.answer(request)
    }

    func head() async throws(UploadError) -> S3Client.Answer {
        var request = self.request("HeadObject", .HEAD)
        request.headers = objectHeaders.ofEveryRequest + [("x-amz-checksum-mode", "ENABLED")]
        return try await client.answer(request)
    }

    func create() async throws(UploadError) -> String {
        var request = self.request("CreateMultipartUpload", .POST, ["uploads": nil])
        request.headers = try objectHeaders.ofCreation(target)
        if configuration.checksum != .none {
            request.headers += [
                ("x-amz-checksum-algorithm", configuration.checksum.rawValue.uppercased()),
                ("x-amz-checksum-type", configuration.checksum == .crc64nvme ? "FULL_OBJECT" : "COMPOSITE"),
            ]
        }
        let id = try await client.send(request).xml(S3CreatedUpload.self, of: request.operation).uploadID
        guard id.utf8.count <= S3Limits.uploadIDBytesMaximum else {
            throw UploadError(
                .invalidResponse,
                "\(location) began an upload whose id has \(id.utf8.count) bytes: at most \(S3Limits.uploadIDBytesMaximum) can be kept; "
                    + "look at the server", retry: .never)
        }
        return id
    }

    /// - Returns: the part's ETag.
    func send(
        _ part: Part, _ body: HTTPBody, _ digest: S3Digest, to state: S3State
    ) async throws(UploadError) -> String {
        var request = self.request(
            "UploadPart", .PUT, ["partNumber": String(part.number), "uploadId": state.uploadID])
        request.headers = objectHeaders.ofEveryRequest + checksum(state.checksum, digest.checksum)
        request.payload = .stream(body, sha256: digest.sha256)
        let reply = try await client.answerOfSession(request)
        guard body.isComplete else {
            throw UploadError(
                .invalidResponse,
                "\(location) took part \(part.number) before it had all of it: look at the server",
                response: reply.response)
        }
        guard let etag = reply.header("etag"), !etag.isEmpty else {
            throw UploadError(
                .invalidResponse, "\(location) answered part \(part.number) without an ETag: look at the server",
                retry: .never, response: reply.response)
        }
        return etag
    }

    /// One page of the parts that are held.
    /// - Parameter marker: the number of the last part of the page before; nil for the first.
    func parts(
        of state: S3State, after marker: Int? = nil, limit: Int = S3Limits.pageMaximum
    ) async throws(UploadError) -> S3PartList {
        try await client.parts(of: state.uploadID, key: target.key, after: marker, limit: limit)
    }

    func complete(
        _ parts: S3PartsToComplete, _ state: S3State, _ condition: WriteCondition
    ) async throws(UploadError) -> S3Client.Answer {
        var request = self.request(S3Request.completion, .POST, ["uploadId": state.uploadID])
        request.headers = objectHeaders.ofEveryRequest + condition.headers
        request.headers.append(("content-type", "application/xml"))
        request.headers.append(("x-amz-mp-object-size", String(target.job.size)))
        if state.checksum == .crc64nvme, let whole = target.job.digests.crc64nvme.flatMap(S3Digest.base64) {
            request.headers += [("x-amz-checksum-type", "FULL_OBJECT"), ("x-amz-checksum-crc64nvme", whole)]
        }
        request.payload = .data(try parts.encoded())
        return try await client.answer(request)
    }

    func abort(_ state: S3State) async throws(UploadError) {
        try await client.abort(state.uploadID, key: target.key)
    }

    var gone: UploadError { client.gone(target.key) }

    private func request(
        _ operation: String, _ method: HTTPMethod, _ query: [String: String?] = [:]
    ) -> S3Request {
        S3Request(
            operation: operation, method: method, key: target.key,
            query: query.sorted { $0.key < $1.key }.map { SignableRequest.Parameter($0.key, $0.value) })
    }

    private func checksum(_ algorithm: S3Configuration.Checksum, _ value: String?) -> [S3ObjectHeaders.Header] {
        guard let name = S3Digest.header(algorithm), let value else { return [] }
        return [(name, value)]
    }
}

extension WriteCondition {
    /// "Conditional requests", Amazon S3 User Guide.
    fileprivate var headers: [S3ObjectHeaders.Header] {
        switch self {
        case .none: []
        case .absent: [("if-none-match", "*")]
        case .unchanged(let etag): [("if-match", etag)]
        }
    }
}
