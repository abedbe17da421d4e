import AsyncHTTPClient
import Foundation
import NIOHTTP1
public import Uploads

/// By HEAD, or a GET of one byte where that is refused, as for a pre-signed URL; then GET of ranges with `If-Match` (RFC 9110).
/// Where a server gives no ETag, the time of the last change stands for it.
extension HTTPDestination: OriginDestination {
    public func find(_ job: UploadJob) async throws(UploadError) -> FoundObject? {
        let target = try HTTPTarget(job, configuration)
        var reply = try await ask(.HEAD, target)
        if [401, 403, 405, 501].contains(reply.status) { reply = try await ask(.GET, target) }
        switch reply.status {
        // Of one byte of an empty file (RFC 9110, section 15.5.17).
        case 200..<300, 416: return FoundObject(Self.object(reply, target), contentType: reply.header("content-type"))
        case 404, 410: return nil
        default: throw target.readFailure(reply)
        }
    }

    public func read(
        _ object: StoredObject, of job: UploadJob, _ range: Range<Int64>,
        _ take: @escaping @Sendable (SourceBuffer) async throws(UploadError) -> Void
    ) async throws(UploadError) {
        let target = try HTTPTarget(job, configuration)
        let download = HTTPDownload(
            offset: range.lowerBound, end: range.upperBound, etag: object.etag, size: object.size, take: take)
        var request = try target.reading(.GET)
        if let range = download.range { request.headers.replaceOrAdd(name: "range", value: range) }
        if let condition = download.condition { request.headers.replaceOrAdd(name: "if-match", value: condition) }
        if object.etag == nil, let time = object.version {
            request.headers.replaceOrAdd(name: "if-unmodified-since", value: time)
        }
        let reply = try await exchange(target).download(request, to: download)
        switch reply.status {
        case 200..<300: return
        case 404, 410, 412, 416:
            throw UploadError(
                .sourceChanged, "\(target.displayURL) has changed while it was read: run the job again", retry: .never,
                response: target.shown(reply))
        default: throw target.readFailure(reply)
        }
    }

    private func ask(_ method: HTTPMethod, _ target: HTTPTarget) async throws(UploadError) -> HTTPReply {
        var request = try target.reading(method)
        if method == .GET { request.headers.replaceOrAdd(name: "range", value: "bytes=0-0") }
        return try await exchange(target).run(request, body: nil)
    }

    private static func object(_ reply: HTTPReply, _ target: HTTPTarget) -> StoredObject {
        let etag = reply.header("etag")
        let total = reply.header("content-range")?.split(separator: "/").last.map(String.init)
        return StoredObject(
            location: target.displayURL, etag: etag, version: etag == nil ? reply.header("last-modified") : nil,
            size: (total ?? reply.header("content-length")).flatMap { Int64($0) },
            digests: HTTPTarget.digests(reply.response.headers))
    }
}

extension HTTPTarget {
    /// What is compressed on the way would have another size.
    fileprivate func reading(_ method: HTTPMethod) throws(UploadError) -> HTTPClientRequest {
        var request = try request(method)
        request.headers.replaceOrAdd(name: "accept-encoding", value: "identity")
        return request
    }

    fileprivate func readFailure(_ reply: HTTPReply) -> UploadError {
        let error = failure(shown(reply))
        let said = "\(displayURL) cannot be read: it answered \(reply.status)"
        switch reply.status {
        case 300..<400:
            return UploadError(.rejected, "\(said); give the URL that it leads to", response: error.response)
        case 401, 403:
            return UploadError(error.code, "\(said); give credentials that may read", response: error.response)
        case 400..<500 where error.retry == .never:
            return UploadError(.rejected, "\(said); check the URL", response: error.response)
        default: return error
        }
    }
}
