import Foundation
import NIOHTTP1
import Uploads

/// The requests about one upload of a job, one method each. Positions are positions in the file.
struct TusUpload: Sendable {
    /// The server's report of the bytes that it holds.
    struct HeldBytes: Sendable {
        /// The position up to which the server holds the file.
        var reached: Int64
        var response: ServerResponse
    }

    /// The result of sending bytes.
    enum Appended: Sendable {
        /// The server holds all bytes up to this position; nil where the answer does not state the position.
        case held(Int64?, ServerResponse)
        /// The server holds another number of bytes than expected.
        case elsewhere(HTTPReply)
        case locked(HTTPReply)
    }

    let client: TusClient
    let job: UploadJob
    /// The upload's URL; may be a credential.
    let url: String
    /// The range of the file that this upload is to hold: the whole file, or a part that is concatenated with others.
    let range: Range<Int64>

    /// The role of an upload that is concatenated or concatenates others (tus 1.0, "Concatenation").
    enum Concatenation: Sendable {
        case partial
        /// The URLs of the partial uploads, in the order of the file.
        case final([String])

        var header: String {
            switch self {
            case .partial: "partial"
            case .final(let urls): "final;" + urls.joined(separator: " ")
            }
        }
    }

    /// The upload's URL as it may be shown.
    var location: String { DestinationReference.redact(url) }

    /// Makes an upload (tus 1.0, "Creation").
    static func create(
        _ job: UploadJob, _ range: Range<Int64>, _ metadata: TusMetadata, _ concatenation: Concatenation? = nil,
        by client: TusClient
    ) async throws(UploadError) -> TusUpload {
        let endpoint = client.address.url
        var headers = [("upload-metadata", try metadata.header())]
        if let concatenation { headers.append(("upload-concat", concatenation.header)) }
        // The server adds the lengths of the parts: the final upload is made without a length.
        if case .final = concatenation {
        } else {
            headers.append(("upload-length", String(range.count)))
        }
        let reply = try await client.sendUnlessLocked(.POST, endpoint, headers: headers)
        guard reply.status == 201 else {
            guard !(200..<300).contains(reply.status) else {
                throw UploadError(
                    .rejected,
                    "POST \(client.address.displayURL) was answered \(reply.status) and not 201: check that it speaks tus",
                    response: client.shown(reply, of: endpoint))
            }
            throw client.failure(reply, of: "POST", at: endpoint)
        }
        let url = try client.address.upload(at: reply.header("location") ?? "")
        return TusUpload(client: client, job: job, url: url, range: range)
    }

    /// Asks how many bytes the server holds.
    /// - Returns: nil when the upload is gone, or belongs to another job.
    func held() async throws(UploadError) -> HeldBytes? {
        let reply = try await client.sendUnlessLocked(.HEAD, url)
        guard (200..<300).contains(reply.status) else {
            if TusErrorTable.mayBeGone(reply.status) { return nil }
            throw client.failure(reply, of: "HEAD", at: url)
        }
        let length = reply.header("upload-length").map { Int64($0) }
        let metadata = reply.header("upload-metadata").map(TusMetadata.init(header:))
        guard length == nil || length == Int64(range.count), metadata?.contradicts(job) != true else { return nil }
        guard let reached = reached(reply), reached <= range.upperBound else {
            throw UploadError(
                .invalidResponse,
                "HEAD \(location) was answered without an Upload-Offset of this file: look at the server",
                response: client.shown(reply, of: url))
        }
        return HeldBytes(reached: reached, response: client.shown(reply, of: url))
    }

    /// Sends the bytes of a range of the file, which begins where the server's bytes end, in one PATCH.
    /// - Throws: `sessionExpired` when the upload is gone; `checksumMismatch`.
    func append(
        _ bytes: Range<Int64>, from source: any UploadSource, sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) -> Appended {
        var headers = [
            ("content-type", "application/offset+octet-stream"),
            ("upload-offset", String(bytes.lowerBound - range.lowerBound)),
        ]
        if client.configuration.sendsChecksums, let checksum = try await client.capabilities().checksum {
            headers.append(("upload-checksum", try await checksum.value(of: bytes, from: source, job)))
        }
        let body = HTTPBody(source: source.read(bytes), size: Int64(bytes.count), sent: sent)
        let reply = try await client.send(.PATCH, url, headers: headers, body: body)
        switch reply.status {
        case 200..<300:
            let reached = reached(reply)
            let isPossible = reached.map { (bytes.lowerBound...bytes.upperBound).contains($0) } ?? true
            guard isPossible, reached != bytes.upperBound || body.isComplete else {
                throw UploadError(
                    .invalidResponse,
                    "PATCH \(location) was answered with an Upload-Offset of bytes that were not sent: look at the server",
                    response: client.shown(reply, of: url))
            }
            return .held(reached, client.shown(reply, of: url))
        case 409: return .elsewhere(reply)
        case 423: return .locked(reply)
        case 404, 410: throw client.gone(url)
        case 403:
            // 403 means gone or not allowed: only an upload that exists answers HEAD.
            if try await held() == nil { throw client.gone(url) }
            throw client.failure(reply, of: "PATCH", at: url)
        default: throw client.failure(reply, of: "PATCH", at: url)
        }
    }

    /// Removes the unfinished upload (tus 1.0, "Termination"). A server without that call lets it expire.
    func remove() async throws(UploadError) {
        let reply = try await client.sendUnlessLocked(.DELETE, url)
        guard !(200..<300).contains(reply.status), !TusErrorTable.mayBeGone(reply.status),
            ![405, 501].contains(reply.status)
        else { return }
        throw client.failure(reply, of: "DELETE", at: url)
    }

    /// The object of a finished upload. The server reports no digests: the worker checked the bytes that it read, and TLS or checksums
    /// protected them.
    var object: StoredObject { StoredObject(location: location, size: job.size, digests: job.digests) }

    func incomplete(_ reached: Int64) -> UploadError {
        UploadError(
            .invalidResponse,
            "\(location) holds \(reached - range.lowerBound) of \(range.count) bytes: the rest is sent again",
            retry: .afterBackoff)
    }

    private func reached(_ reply: HTTPReply) -> Int64? {
        guard let offset = reply.header("upload-offset").flatMap({ Int64($0) }), offset >= 0 else { return nil }
        return range.lowerBound.addingReportingOverflow(offset).overflow ? nil : range.lowerBound + offset
    }
}
