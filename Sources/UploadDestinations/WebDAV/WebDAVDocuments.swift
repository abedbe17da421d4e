import Foundation
import NIOHTTP1
import Uploads
import XMLCoder

/// The bodies of requests. The inserted ids and times need no escaping.
enum WebDAVRequestBody {
    /// RFC 4918, section 9.1: the properties that the client asks of each resource.
    static let propfind = document(
        "propfind",
        "<D:prop><D:resourcetype/><D:getcontentlength/><D:getetag/><D:getlastmodified/><L:job/><L:enqueuedAt/></D:prop>"
    )

    /// RFC 4918, section 9.2: stores the job's mark. Such dead properties move with the resource (section 9.9.1).
    static func proppatch(_ mark: JobMark) -> Data {
        document(
            "propertyupdate",
            "<D:set><D:prop><L:job>\(mark.job)</L:job><L:enqueuedAt>\(mark.enqueuedAt)</L:enqueuedAt></D:prop></D:set>")
    }

    private static func document(_ name: String, _ content: String) -> Data {
        Data(
            #"<?xml version="1.0" encoding="utf-8"?><D:\#(name) xmlns:D="DAV:" xmlns:L="longshore:">\#(content)</D:\#(name)>"#
                .utf8)
    }
}

/// The body of a 207 answer (RFC 4918, section 14.16).
struct WebDAVMultistatus: Decodable, Sendable {
    struct Response: Decodable, Sendable {
        var hrefs: [String]
        var status: String?
        var propstats: [Propstat]

        private enum CodingKeys: String, CodingKey {
            case hrefs = "href"
            case status
            case propstats = "propstat"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            hrefs = try container.decodeIfPresent([String].self, forKey: .hrefs) ?? []
            status = try container.decodeIfPresent(String.self, forKey: .status)
            propstats = try container.decodeIfPresent([Propstat].self, forKey: .propstats) ?? []
        }

        /// The last component of the resource's path.
        var name: String? {
            hrefs.first?.split(separator: "/").last.map { $0.removingPercentEncoding ?? String($0) }
        }

        /// The components of the resource's path, those of the server's own included.
        var componentCount: Int? { hrefs.first?.split(separator: "/").count }

        /// Whether the response describes the resource under a path. The components before that path depend on the server and on proxies
        /// before it.
        /// - Parameter path: escaped, below the destination's folder; the empty path of that folder fits every response.
        func isAbout(_ path: String) -> Bool {
            let wanted = Self.components(path)
            return hrefs.contains { href in
                // Some servers do not escape, and some return a name with other letters, as they stored it.
                let escaped = href.prefix { $0 != "?" && $0 != "#" }
                return [Self.components(String(escaped)), Self.components(href), Self.parts(href)].contains {
                    $0.suffix(wanted.count) == wanted[...]
                }
            }
        }

        private static func components(_ path: String) -> [String] {
            parts(path).map { $0.removingPercentEncoding?.lowercased() ?? $0 }
        }

        private static func parts(_ path: String) -> [String] {
            path.split(separator: "/").map { $0.lowercased() }
        }
    }

    struct Propstat: Decodable, Sendable {
        var prop: Properties?
        var status: String?
    }

    struct Properties: Decodable, Sendable {
        struct ResourceType: Decodable, Sendable {
            struct Collection: Decodable, Sendable {}
            var collection: Collection?
        }

        var resourcetype: ResourceType?
        var getcontentlength: String?
        var getetag: String?
        var getlastmodified: String?
        var job: String?
        var enqueuedAt: String?
    }

    var responses: [Response]

    private enum CodingKeys: String, CodingKey { case responses = "response" }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        responses = try container.decodeIfPresent([Response].self, forKey: .responses) ?? []
    }

    /// The first status that reports a failure of the resource itself or of one below it.
    var failure: Int? {
        let statuses = responses.flatMap { [$0.status] + $0.propstats.map(\.status) }
        let failed = statuses.compactMap { $0.flatMap(Self.code) }.filter { $0 >= 300 }
        // 424: the failure only follows from another one (RFC 4918, section 11.4).
        return failed.first { $0 != 424 } ?? failed.first
    }

    /// The status code of a status line (RFC 4918, section 14.28).
    static func code(_ line: String) -> Int? { line.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
}

extension HTTPReply {
    /// The body as a list with a status for each resource. Servers choose the prefixes of namespaces themselves.
    /// - Throws: `invalidResponse` when the body broke off, is too long, or is not such a document.
    func multistatus(of place: String) throws(UploadError) -> WebDAVMultistatus {
        guard isWhole else {
            throw UploadError(
                .invalidResponse, "\(place) answered with a list that broke off or is too long: look at the server",
                retry: .afterBackoff)
        }
        do {
            let decoder = XMLDecoder()
            decoder.shouldProcessNamespaces = true
            return try decoder.decode(WebDAVMultistatus.self, from: body)
        } catch {
            throw UploadError(
                .invalidResponse, "\(place) answered 207 without a document of WebDAV: check that it speaks WebDAV",
                cause: error)
        }
    }
}
