import Foundation
import Uploads
import XMLCoder

// What the request that makes the object brought.
extension S3Upload {
    /// The object in one PUT.
    func putWhole(
        _ part: Part, from source: any UploadSource, _ condition: WriteCondition,
        sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) -> CompletedUpload {
        let digest = try await S3Digest.of(part, from: source, target, algorithm: target.configuration.checksum)
        let reply = try await conditionally(condition) { condition async throws(UploadError) in
            let body = HTTPBody(source: source.read(part.range), size: part.size, sent: sent)
            let answer = try await self.put(body, digest, condition)
            if case .success(let reply) = answer, !body.isComplete {
                throw UploadError(
                    .invalidResponse, "\(self.location) took the file before it had all of it: look at the server",
                    response: reply.response)
            }
            return answer
        }
        return try completed(reply, etag: reply.header("etag"))
    }

    /// Writes under a condition, or looks first where the server does not know conditional writes.
    func conditionally(
        _ condition: WriteCondition,
        write: (WriteCondition) async throws(UploadError) -> S3Client.Answer
    ) async throws(UploadError) -> HTTPReply {
        switch try await write(condition) {
        case .success(let reply): return reply
        case .failure(let failure) where condition != .none && failure.isNotImplemented:
            try await expect(condition)
            switch try await write(.none) {
            case .success(let reply): return reply
            case .failure(let failure): throw failure.error(at: location)
            }
        case .failure(let failure): throw failure.error(at: location)
        }
    }

    /// The outcome of a PUT.
    /// - Throws: `checksumMismatch` when the server says that it has stored something else.
    func completed(_ reply: HTTPReply, etag: String?) throws(UploadError) -> CompletedUpload {
        let job = target.job
        guard !S3Digest.digests(of: reply).contradicts(job.digests) else {
            throw UploadError(
                .checksumMismatch, "\(location) stored something else than was sent: it is sent again",
                response: reply.response)
        }
        let object = StoredObject(
            location: location, etag: etag.map(S3Target.quoted), version: reply.header("x-amz-version-id"),
            size: job.size,
            digests: job.digests)
        return CompletedUpload(object, response: reply.response)
    }

    /// The outcome of CompleteMultipartUpload, whose status 200 may be that of an error.
    func checked(_ reply: HTTPReply) async throws(UploadError) -> CompletedUpload {
        let answer = try reply.xml(S3CompletedUpload.self, of: "CompleteMultipartUpload")
        if answer.error != nil {
            throw S3Failure(reply, operation: "CompleteMultipartUpload").error(at: location)
        }
        var reply = reply
        if let crc64nvme = answer.crc64nvme, !crc64nvme.contains("-") {
            reply.setHeader("x-amz-checksum-crc64nvme", to: crc64nvme)
        }
        var upload = try completed(reply, etag: answer.etag ?? reply.header("etag"))
        if S3Digest.digests(of: reply).confirms(target.job.digests) { return upload }
        // The server has not said what it made of the parts: at least the size must be right.
        guard case .success(let head) = try await self.head() else { return upload }
        let found = S3Target.object(head, at: location)
        guard S3Target.mark(of: head)?.belongs(to: target.job) == true else { return upload }
        guard found.size == target.job.size, !found.digests.contradicts(target.job.digests) else {
            throw UploadError(
                .checksumMismatch,
                "\(location) has \(found.size ?? 0) bytes instead of \(target.job.size): it is sent again",
                response: head.response)
        }
        // Some servers name another when they put the parts together.
        upload.object.etag = found.etag
        return upload
    }

    private func expect(_ condition: WriteCondition) async throws(UploadError) {
        let answer = try await head()
        switch (condition, answer) {
        case (.none, _): return
        // Any other failure says nothing of what lies there.
        case (.absent, .failure(let failure)) where failure.status == 404: return
        case (_, .failure(let failure)) where failure.status != 404: throw failure.error(at: location)
        case (.unchanged(let etag), .success(let reply)) where reply.header("etag").map(S3Target.quoted) == etag: return
        default:
            throw UploadError(.preconditionFailed, "something else lies at \(location) than was expected")
        }
    }
}

extension S3Failure {
    var isNotImplemented: Bool { status == 501 || code == "NotImplemented" }
}

extension S3PartsToComplete {
    func encoded() throws(UploadError) -> Data {
        do {
            let encoder = XMLEncoder()
            return try encoder.encode(
                self, withRootKey: "CompleteMultipartUpload",
                rootAttributes: ["xmlns": "http://s3.amazonaws.com/doc/2006-03-01/"])
        } catch {
            throw UploadError(.unknown, "the list of parts cannot be written as XML", cause: error)
        }
    }
}
