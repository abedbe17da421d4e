import Foundation
import NIOHTTP1
import Uploads

/// The requests about one job's object, one method each. A survey and `uploadctl destination test` use it, too, with jobs that
/// exist only for the trial.
struct S3Upload: Sendable {
    var target: S3Target
    let client: S3Client
    /// How the object is stored, if not as the destination says.
    var objectSettings: S3ObjectSettings?

    var configuration: S3Configuration { client.configuration }
    var objectHeaders: S3ObjectHeaders { S3ObjectHeaders(settings: objectSettings ?? configuration.object) }

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
        request.headers = objectHeaders.ofObjectRequests + [("x-amz-checksum-mode", "ENABLED")]
        let answer = try await client.answer(request)
        if case .success(let reply) = answer, reply.givenETag == nil {
            throw reply.unbelievable("\(request.operation) \(location)")
        }
        return answer
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
        let reply = try await client.send(request)
        let id = try reply.xml(S3CreatedUpload.self, of: request.operation).uploadID
        guard !id.isEmpty else {
            throw reply.unbelievable("\(request.operation) \(location)", without: "the id of an upload")
        }
        guard id.utf8.count <= S3Limits.uploadIDBytesMaximum else {
            throw UploadError(
                .invalidResponse,
                "\(location) began an upload whose id has \(id.utf8.count) bytes: at most \(S3Limits.uploadIDBytesMaximum) can be kept; "
                    + "look at the server", retry: .never)
        }
        return id
    }

    /// - Throws: `checksumMismatch` when the server reports that it stored other bytes.
    func send(
        _ part: Part, _ body: HTTPBody, _ digest: S3Digest, to state: S3State
    ) async throws(UploadError) -> S3MultipartSession.HeldPart {
        var request = self.request(
            "UploadPart", .PUT, ["partNumber": String(part.number), "uploadId": state.uploadID])
        request.headers = objectHeaders.ofObjectRequests + checksum(state.checksum, digest.checksum)
        request.payload = .stream(body, sha256: digest.sha256)
        let reply = try await client.answerOfSession(request)
        guard body.isComplete else {
            throw UploadError(
                .invalidResponse,
                "\(location) took part \(part.number) before it had all of it: look at the server",
                response: reply.response)
        }
        guard let etag = reply.givenETag, !reply.isPage else {
            throw reply.unbelievable("\(request.operation) \(part.number) of \(location)")
        }
        let told = S3Digest.header(state.checksum).flatMap { reply.header($0) }
        guard told == nil || digest.checksum == nil || told == digest.checksum else { throw differs(part, reply) }
        let evidence = S3Evidence(etag, expected: body.md5, meaning: configuration.etagMeaning)
        guard evidence != .contradicted else { throw differs(part, reply) }
        return S3MultipartSession.HeldPart(
            etag: etag, checksum: digest.checksum, md5: evidence == .proved ? body.md5 : nil)
    }

    /// The first page of the parts that the server holds.
    func parts(of state: S3State) async throws(UploadError) -> S3PartList {
        try await client.parts(of: state.uploadID, key: target.key, limit: S3Limits.pageMaximum)
    }

    /// - Returns: for a success, the document's contents in the headers that PutObject would use for them.
    func complete(
        _ parts: S3PartsToComplete, _ state: S3State, _ condition: WriteCondition
    ) async throws(UploadError) -> S3Client.Answer {
        var request = self.request(S3Request.completion, .POST, ["uploadId": state.uploadID])
        request.headers = objectHeaders.ofObjectRequests + condition.headers
        request.headers.append(("content-type", "application/xml"))
        request.headers.append(("x-amz-mp-object-size", String(target.job.size)))
        if state.checksum == .crc64nvme, let whole = target.job.digests.crc64nvme.flatMap(S3Digest.base64) {
            request.headers += [("x-amz-checksum-type", "FULL_OBJECT"), ("x-amz-checksum-crc64nvme", whole)]
        }
        request.payload = .data(try parts.encoded())
        let answer = try await client.answer(request)
        guard case .success(var reply) = answer else { return answer }
        // "Your application must be prepared to retry": the server may send status 200 before the work is done.
        guard reply.errorDocument == nil else { return .failure(S3Failure(reply, operation: request.operation)) }
        let document = try reply.xml(S3CompletedUpload.self, of: request.operation)
        if let etag = document.etag { reply.setHeader("etag", to: etag) }
        guard reply.givenETag != nil else { throw reply.unbelievable("\(request.operation) \(location)") }
        if let crc64nvme = document.crc64nvme, !crc64nvme.contains("-") {
            reply.setHeader("x-amz-checksum-crc64nvme", to: crc64nvme)
        }
        return .success(reply)
    }

    func abort(_ state: S3State, isTrial: Bool = false) async throws(UploadError) {
        try await client.abort(state.uploadID, key: target.key, of: target.job, isTrial: isTrial)
    }

    var gone: UploadError { client.gone(target.key) }

    /// The error for a part of which the server reports other bytes than were sent. It has no status: the part is not an object, and can
    /// be sent again by itself.
    private func differs(_ part: Part, _ reply: HTTPReply) -> UploadError {
        let request = reply.header("x-amz-request-id").map { " [request \($0)]" } ?? ""
        return UploadError(
            .checksumMismatch,
            "part \(part.number) of \(location) arrived with other bytes than were sent: it is sent again\(request)",
            retry: .afterBackoff)
    }

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
    /// The headers of "Conditional requests", Amazon S3 User Guide.
    var headers: [S3ObjectHeaders.Header] {
        switch self {
        case .none: []
        case .absent: [("if-none-match", "*")]
        case .unchanged(let etag): [("if-match", etag)]
        }
    }
}
