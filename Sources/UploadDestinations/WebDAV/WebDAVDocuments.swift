import Foundation
import NIOHTTP1
import Uploads
import XMLCoder

/// The bodies of requests. What is put in is escaped by nature: ids and times.
enum WebDAVRequestBody {
    /// RFC 4918, section 9.1: what is asked of each resource.
    static let propfind = document(
        "propfind",
        "<D:prop><D:resourcetype/><D:getcontentlength/><D:getetag/><D:getlastmodified/><L:job/><L:enqueuedAt/></D:prop>"
    )

    /// RFC 4918, section 9.2: whose the resource is. Such dead properties go with it when it is moved (section 9.9.1).
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

/// RFC 4918, section 14.16.
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

        /// The last component of what it is about.
        var name: String? {
            hrefs.first?.split(separator: "/").last.map { $0.removingPercentEncoding ?? String($0) }
        }

        /// Whether it is about what lies under a path. What stands before that is a matter of the server, and of proxies before it.
        /// - Parameter path: escaped, below the destination's folder; of that folder itself anything may be said.
        func isAbout(_ path: String) -> Bool {
            let wanted = Self.components(path)
            return hrefs.contains { href in
                // Some servers escape nothing, and some tell a name as it was stored, in other letters.
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

    /// The first status that says that something went wrong with what the request was about, or with what depends on it.
    var failure: Int? {
        let statuses = responses.flatMap { [$0.status] + $0.propstats.map(\.status) }
        let failed = statuses.compactMap { $0.flatMap(Self.code) }.filter { $0 >= 300 }
        // 424: only because of another one (RFC 4918, section 11.4).
        return failed.first { $0 != 424 } ?? failed.first
    }

    /// RFC 4918, section 14.28: a status line.
    static func code(_ line: String) -> Int? { line.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
}

extension HTTPReply {
    /// The body as a list of what became of each resource. Prefixes of namespaces are the server's own choice.
    /// - Throws: `invalidResponse` when it broke off, is too long, or is no such document.
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
