import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Synchronization
import Uploads

/// The requests of a file that is uploaded in ranges (`Content-Range` in a PUT: RFC 9110, section 14.5).
///
/// By the specification, server and client have to agree that a range is written in place. A server that does not know this should answer
/// 400; nginx answers 501, and others take the range for the whole file. So the driver asks for the stored size after each range.
struct HTTPRanges: Sendable {
    struct StoredFile: Sendable {
        var size: Int64
        var etag: String?
        var response: ServerResponse
    }

    let target: HTTPTarget
    let exchange: HTTPExchange

    init(_ target: HTTPTarget, _ exchange: HTTPExchange) {
        self.target = target
        self.exchange = exchange
    }

    var gone: UploadError {
        UploadError(
            .sessionExpired,
            "\(target.displayURL) holds something other than the sent bytes, or nothing: it is begun anew")
    }

    /// - Returns: nil when no file is stored.
    func stored() async throws(UploadError) -> StoredFile? {
        var request = try target.request(.HEAD)
        // A compressed answer would have another size.
        request.headers.replaceOrAdd(name: "accept-encoding", value: "identity")
        let reply = try await exchange.run(request, body: nil)
        let response = target.shown(reply)
        switch reply.status {
        case 200..<300:
            guard let size = reply.header("content-length").flatMap({ Int64($0) }) else {
                throw UploadError(
                    .misconfigured,
                    "HEAD of \(target.displayURL) tells no length, without which no range can be sent: remove 'ranges' from the "
                        + "destination", response: response)
            }
            return StoredFile(size: size, etag: reply.etag, response: response)
        case 404, 410: return nil
        default: throw target.failure(response, of: .HEAD)
        }
    }

    /// - Throws: `misconfigured` where the server does not support ranges.
    func put(
        _ range: Range<Int64>, from source: any UploadSource, _ condition: WriteCondition,
        _ sent: @escaping @Sendable (Int) -> Void
    ) async throws(UploadError) {
        var request = try target.upload(condition)
        let value = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(target.job.size)"
        request.headers.replaceOrAdd(name: "content-range", value: value)
        let body = HTTPBody(source: source.read(range), size: Int64(range.count), sent: sent)
        let reply = try await exchange.run(request, body: body)
        let response = target.shown(reply)
        if [400, 501].contains(reply.status) {
            throw UploadError(
                .misconfigured,
                "\(target.displayURL) answered \(reply.status) to a range: it does not take files in ranges; remove 'ranges' from "
                    + "the destination", response: response)
        }
        guard target.configuration.success.contains(reply.status) else { throw target.failure(response) }
        guard body.isComplete else {
            throw UploadError(
                .invalidResponse, "\(target.displayURL) answered \(reply.status) before it had the whole range",
                response: response)
        }
    }

    /// Whether a range of the stored file has this checksum; false also where the file may not be read.
    func holds(_ range: Range<Int64>, _ checksum: CRC64NVME) async throws(UploadError) -> Bool {
        let found = Mutex(CRC64NVME())
        // Without the size that was seen: a server may still be writing bytes that a killed worker had sent.
        let download = HTTPDownload(offset: range.lowerBound, end: range.upperBound) { buffer in
            found.withLock { $0.update(buffer) }
        }
        var request = try target.request(.GET)
        if let range = download.range { request.headers.replaceOrAdd(name: "range", value: range) }
        request.headers.replaceOrAdd(name: "accept-encoding", value: "identity")
        let reply = try await exchange.download(request, to: download)
        return (200..<300).contains(reply.status) && found.withLock { $0 } == checksum
    }

    /// - Throws: `misconfigured` where the server does not support DELETE.
    func delete(_ condition: WriteCondition = .none) async throws(UploadError) {
        let reply = try await exchange.run(target.request(.DELETE, condition), body: nil)
        guard !(200..<300).contains(reply.status), ![404, 410].contains(reply.status) else { return }
        let response = target.shown(reply)
        guard [403, 405, 501].contains(reply.status) else { throw target.failure(response) }
        throw UploadError(
            .misconfigured,
            "\(target.displayURL) answered \(reply.status) to DELETE: allow it, because an unfinished file, or one longer than its "
                + "replacement, has to be removed; or remove 'ranges' from the destination", response: response)
    }

    func probe(_ state: HTTPState) async throws(UploadError) -> ProbeAnswer {
        guard let stored = try await stored() else { return .nothing }
        if stored.size > state.size { return .other(object(stored), isNewer: false) }
        if stored.size == state.size, state.reached == state.size, state.matches(stored.etag) {
            return .complete(completed(stored))
        }
        // Before the server took the first range, the stored file may belong to another client.
        return .partial(state.uploadState, beside: state.sent == 0 ? object(stored) : nil)
    }

    /// Removes the unfinished file, if it belongs to this upload. A complete file stays.
    func remove(_ state: HTTPState) async throws(UploadError) {
        guard let tail = state.tail, let stored = try await stored(),
            (state.sent..<state.size).contains(stored.size)
        else { return }
        if !state.matches(stored.etag) {
            guard try await holds(tail.range, tail.checksum) else { return }
        }
        try await delete(stored.etag.map { .unchanged(etag: $0) } ?? .none)
    }

    func completed(_ stored: StoredFile) -> CompletedUpload {
        var object = object(stored)
        object.digests = target.job.digests
        return CompletedUpload(object, response: stored.response)
    }

    private func object(_ stored: StoredFile) -> StoredObject {
        StoredObject(
            location: target.displayURL, etag: stored.etag, size: stored.size,
            digests: Digests(headers: stored.response.headers))
    }
}
