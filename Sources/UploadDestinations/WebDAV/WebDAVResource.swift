import Foundation
import NIOHTTP1
import Uploads

/// A file or folder, as the server describes it.
struct WebDAVResource: Sendable {
    var name: String?
    var isFolder: Bool
    /// In bytes.
    var size: Int64?
    var etag: String?
    var modifiedAt: Date?
    /// The mark of its job, where the server keeps properties.
    var mark: JobMark?
    /// Digests, where the server sends any.
    var digests = Digests()

    /// A resource from an answer to PROPFIND.
    /// - Returns: nil for a resource that does not exist.
    init?(_ response: WebDAVMultistatus.Response) {
        if let status = response.status.flatMap(WebDAVMultistatus.code), status >= 300 { return nil }
        let found = response.propstats.filter { stat in
            stat.status.flatMap(WebDAVMultistatus.code).map { (200..<300).contains($0) } ?? true
        }.compactMap(\.prop)
        name = response.name
        isFolder = found.contains { $0.resourcetype?.collection != nil }
        size = found.compactMap(\.getcontentlength).first.flatMap { Int64($0) }
        etag = found.compactMap(\.getetag).first.flatMap(Self.etag)
        modifiedAt = found.compactMap(\.getlastmodified).first.flatMap { HTTPDate.parse($0, now: Date()) }
        if let job = found.compactMap(\.job).first, let time = found.compactMap(\.enqueuedAt).first, !job.isEmpty {
            mark = JobMark(job: job, enqueuedAt: time)
        }
    }

    /// A resource from an answer to HEAD.
    init(_ reply: HTTPReply) {
        // A redirect to the same name with a slash at its end.
        isFolder = (300..<400).contains(reply.status)
        size = reply.header("content-length").flatMap { Int64($0) }
        etag = reply.etag.flatMap(Self.etag)
        modifiedAt = reply.header("last-modified").flatMap { HTTPDate.parse($0, now: Date()) }
        digests = Digests(headers: reply.response.headers)
    }

    /// Adds the quotes that some servers leave out in properties.
    private static func etag(_ text: String) -> String? {
        let text = text.trimmingCharacters(in: .whitespaces)
        // The tag with its quotes has to fit into messages.
        guard !text.isEmpty, text.unicodeScalars.count <= WireLimits.nameLengthMaximum - 2 else { return nil }
        return text.hasSuffix("\"") ? text : "\"\(text)\""
    }

    /// Whether two tags may belong to the same contents. Uses the weak comparison (RFC 9110, section 8.8.3.2), because some servers give
    /// a new file a weak tag for a while.
    static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard let left = left.flatMap(etag), let right = right.flatMap(etag) else { return false }
        return left.trimmingPrefix("W/") == right.trimmingPrefix("W/")
    }
}
