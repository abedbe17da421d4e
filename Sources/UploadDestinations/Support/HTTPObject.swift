import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Synchronization
import Uploads

/// Reads the object under a URL: by GET of ranges with `If-Match` (RFC 9110, sections 9.3 and 13.1.1).
///
/// Where a server gives no ETag, the time of the last change is used instead. An answer to HEAD may describe another
/// version or coding than GET sends, so HEAD is used only for a length that GET does not report.
struct HTTPObject: Sendable {
    /// A request with every header that the URL needs; each use sets its own method.
    let request: HTTPClientRequest
    let exchange: HTTPExchange
    /// The part of an answer that may be kept and shown.
    let shown: @Sendable (HTTPReply) -> ServerResponse
    /// The error for a status that reports a failure.
    let failure: @Sendable (HTTPReply) -> UploadError

    /// - Returns: nil when there is no object.
    func find() async throws(UploadError) -> FoundObject? {
        let reply = try await ask(.GET)
        switch reply.status {
        case 200..<300:
            var object = object(reply)
            // If GET does not report the size of the whole, HEAD may.
            if object.size == nil, reply.header("content-range") == nil { object.size = try await lengthByHEAD() }
            return FoundObject(object, contentType: reply.header("content-type"))
        // The answer to a request for one byte of an empty file (section 15.5.17). Without `Content-Range`, the length in the answer is
        // that of an error page.
        case 416 where reply.header("content-range")?.contains("*/") == true:
            return FoundObject(object(reply), contentType: nil)
        case 416 where try await lengthByHEAD() == 0:
            var object = object(reply)
            object.size = 0
            return FoundObject(object, contentType: nil)
        case 404, 410: return nil
        default: throw readFailure(reply)
        }
    }

    private func lengthByHEAD() async throws(UploadError) -> Int64? {
        let reply = try await ask(.HEAD)
        guard reply.status == 200, reply.header("content-encoding") == nil else { return nil }
        return reply.header("content-length").flatMap { Int64($0) }
    }

    /// Reads from an offset to the end, in any version of the object.
    /// - Throws: `destinationNotFound` when there is no object.
    func read(from offset: Int64, _ take: @escaping HTTPDownload.Take) async throws(UploadError) {
        let download = HTTPDownload(offset: offset, take: take)
        var request = reading(.GET)
        if let range = download.range { request.headers.replaceOrAdd(name: "range", value: range) }
        let reply = try await exchange.download(request, to: download)
        guard (200..<300).contains(reply.status) else {
            // The object ends at the offset or before it.
            if reply.status == 416, offset > 0 { return }
            let error = failure(reply)
            guard [401, 403, 405, 501].contains(reply.status) else { throw error }
            throw UploadError(
                error.code,
                "\(exchange.displayURL) was uploaded, but cannot be read back (GET was answered \(reply.status)): allow it, or "
                    + "enqueue without --verify", retry: .never, response: error.response)
        }
    }

    /// Reads a range of a found object. If an answer ends early, or holds less than the requested range, the next request asks for the
    /// rest, unless neither tag nor time would show that it belongs to the same version.
    /// - Returns: whether the server sends ranges.
    /// - Throws: `sourceChanged` when another object or none is there now; `networkFailure` when too few bytes come.
    func read(
        _ object: StoredObject, _ range: Range<Int64>, _ take: @escaping HTTPDownload.Take
    ) async throws(UploadError) -> Bool {
        try await HTTPDownload.inAnswers(range, hasValidator: object.hasValidator, at: exchange.displayURL, take) {
            range, take async throws(UploadError) in
            try await readOnce(object, range, take)
        }
    }

    private func readOnce(
        _ object: StoredObject, _ range: Range<Int64>, _ take: @escaping HTTPDownload.Take
    ) async throws(UploadError) -> Bool {
        let modified = object.etag == nil ? object.version : nil
        let download = HTTPDownload(
            offset: range.lowerBound, end: range.upperBound, etag: object.etag, modified: modified, size: object.size,
            refusesCodings: true, take: take)
        var request = reading(.GET)
        if let range = download.range { request.headers.replaceOrAdd(name: "range", value: range) }
        if let condition = download.condition { request.headers.replaceOrAdd(name: "if-match", value: condition) }
        if let modified { request.headers.replaceOrAdd(name: "if-unmodified-since", value: modified) }
        let reply = try await exchange.download(request, to: download)
        switch reply.status {
        case 200..<300: return reply.status == 206
        case 404, 410, 412, 416:
            throw UploadError(
                .sourceChanged, "\(exchange.displayURL) has changed while it was read: run the job again",
                retry: .never,
                response: shown(reply))
        default: throw readFailure(reply)
        }
    }

    /// A compressed answer would have another size, and could not be compared.
    private func reading(_ method: HTTPMethod) -> HTTPClientRequest {
        var request = request
        request.method = method
        request.headers.replaceOrAdd(name: "accept-encoding", value: "identity")
        return request
    }

    private func ask(_ method: HTTPMethod) async throws(UploadError) -> HTTPReply {
        var request = reading(method)
        if method == .GET { request.headers.replaceOrAdd(name: "range", value: "bytes=0-0") }
        return try await exchange.run(request, body: nil)
    }

    private func object(_ reply: HTTPReply) -> StoredObject {
        let etag = reply.header("etag")
        let total = reply.header("content-range")?.split(separator: "/").last.map(String.init)
        return StoredObject(
            location: exchange.displayURL, etag: etag, version: etag == nil ? reply.header("last-modified") : nil,
            size: (total ?? reply.header("content-length")).flatMap { Int64($0) },
            digests: Digests(headers: reply.response.headers))
    }

    private func readFailure(_ reply: HTTPReply) -> UploadError {
        let error = failure(reply)
        let said = "\(exchange.displayURL) cannot be read: it answered \(reply.status)"
        switch reply.status {
        case 300..<400:
            let (code, remedy, retry) = HTTPAnswer.redirection(reply.status, "give the URL that it leads to")
            return UploadError(code, "\(said); \(remedy)", retry: retry, response: error.response)
        case 401, 403:
            return UploadError(error.code, "\(said); give credentials that may read", response: error.response)
        case 400..<500 where error.retry == .never:
            return UploadError(.rejected, "\(said); check the URL", response: error.response)
        default: return error
        }
    }
}
