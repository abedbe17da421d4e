import Crypto
import Foundation
import NIOHTTP1
import Uploads

/// The requests about one upload of a job, one method each.
struct ResumableUpload: Sendable {
    /// The server's report of the bytes that it holds.
    struct HeldBytes: Sendable {
        var reached: Int64
        /// Whether the server reports the upload as complete and holds every byte.
        var isComplete: Bool
        var limit: ResumableUploadLimit?
        var reply: HTTPReply
    }

    /// The result of sending bytes.
    enum Appended: Sendable {
        /// The server holds all bytes up to this position; nil where the answer does not state the position.
        case held(Int64?, HTTPReply)
        /// The server processed the file: this is the answer to the whole upload.
        case complete(HTTPReply)
        /// The server may have processed the file: the answer lacks the required header.
        case unsure(HTTPReply)
        /// The server has the whole file and refused it. The upload is gone.
        case failed(UploadError)
        /// The server holds another number of bytes than expected.
        case elsewhere(HTTPReply)
    }

    let client: ResumableClient
    let target: ResumableTarget
    /// The upload's URL; may be a credential.
    let url: String
    let interop: ResumableInterop

    var size: Int64 { target.job.size }
    /// The upload's URL as it may be shown.
    var location: String { DestinationReference.redact(url) }

    /// Asks how many bytes the server holds ("Offset Retrieval").
    /// - Returns: nil when the upload is gone, or belongs to another file.
    func held() async throws(UploadError) -> HeldBytes? {
        let reply = try await client.send(.HEAD, url, interop)
        guard (200..<300).contains(reply.status) else {
            if [404, 410].contains(reply.status) { return nil }
            throw client.failure(reply, of: "HEAD", at: url)
        }
        guard reply.uploadLength.map({ $0 == size }) ?? true else { return nil }
        guard let reached = reply.uploadOffset, reached <= size else {
            throw UploadError(
                .invalidResponse,
                "HEAD \(location) was answered without an Upload-Offset of this file: look at the server",
                response: client.shown(reply, of: url))
        }
        // An upload that claims to be complete but is too short counts as incomplete.
        return HeldBytes(
            reached: reached, isComplete: reply.isUploadComplete == true && reached == size,
            limit: ResumableUploadLimit(reply), reply: reply)
    }

    /// Sends the bytes of a range, which begins where the server's bytes end, in one PATCH ("Upload Append"). The range at the end of the
    /// file completes the upload; the range is empty if only the completion was missing.
    /// - Throws: `sessionExpired` when the upload is gone.
    func append(
        _ bytes: Range<Int64>, from source: (any UploadSource)?, sent: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws(UploadError) -> Appended {
        let isLast = bytes.upperBound == size
        let completeness = interop.completeness(isLast)
        var headers = [completeness, ("upload-offset", String(bytes.lowerBound))]
        if let type = interop.partType { headers.append(("content-type", type)) }
        var body: HTTPBody?
        if let source, !bytes.isEmpty {
            if client.configuration.sendsDigests, interop.hasDigests {
                let digest = try await SourceDigest.read(SHA256(), of: bytes, from: source)
                headers.append(("content-digest", Digests.field(sha256: digest)))
            }
            body = HTTPBody(source: source.read(bytes), size: Int64(bytes.count), sent: sent)
        }
        let reply = try await client.send(.PATCH, url, interop, headers: headers, body: body)
        switch reply.status {
        case 200..<300: return try taken(reply, bytes, isBodyWhole: body?.isComplete ?? bytes.isEmpty)
        // HEAD then shows whether another request has completed the upload.
        case 409: return .elsewhere(reply)
        case 400 where reply.problem == "completed-upload": return .elsewhere(reply)
        case 404, 410: throw client.gone(url)
        default:
            guard isLast, reply.isUploadComplete == true else { throw client.failure(reply, of: "PATCH", at: url) }
            return await failed(reply)
        }
    }

    private func taken(_ reply: HTTPReply, _ bytes: Range<Int64>, isBodyWhole: Bool) throws(UploadError) -> Appended {
        let reached = reply.uploadOffset
        let isPossible = reached.map { (bytes.lowerBound...bytes.upperBound).contains($0) } ?? true
        guard isPossible, isBodyWhole || (reached ?? bytes.upperBound) < bytes.upperBound else {
            throw UploadError(
                .invalidResponse,
                "PATCH \(location) was answered with an Upload-Offset of bytes that were not sent: look at the server",
                response: client.shown(reply, of: url))
        }
        guard bytes.upperBound == size, reached ?? size == size else { return .held(reached, reply) }
        switch reply.isUploadComplete {
        case true: return .complete(reply)
        case false: return .held(nil, reply)
        case nil: return interop.saysComplete ? .unsure(reply) : .complete(reply)
        }
    }

    /// "`4xx` or `5xx` status codes indicate in this case that the representation was fully transmitted, but an error occurred while
    /// processing it. Resuming the upload would not resolve this error." So the driver removes the upload: HEAD would report it as complete.
    private func failed(_ reply: HTTPReply) async -> Appended {
        // If it cannot be removed, it expires.
        try? await remove()
        let error = client.failure(reply, of: "PATCH", at: url)
        return .failed(
            UploadError(
                error.code,
                "\(target.displayURL) has the whole file and did not take it (\(reply.status)): its answer may say why",
                retry: error.retry, response: error.response))
    }

    /// Removes the upload ("Upload Cancellation"). A server without that call lets it expire.
    func remove() async throws(UploadError) {
        let reply = try await client.send(.DELETE, url, interop)
        guard !(200..<300).contains(reply.status), ![404, 405, 410, 501].contains(reply.status) else { return }
        throw client.failure(reply, of: "DELETE", at: url)
    }

    func incomplete(_ reached: Int64) -> UploadError {
        UploadError(
            .invalidResponse, "\(location) holds \(reached) of \(size) bytes: the rest is sent again",
            retry: .afterBackoff)
    }
}
