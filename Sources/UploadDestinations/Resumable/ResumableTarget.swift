import Foundation
import NIOHTTP1
import Uploads

/// The place where a job's file goes, and the headers that describe the file.
struct ResumableTarget: Sendable {
    let job: UploadJob
    let configuration: ResumableConfiguration
    /// The URL of the resource that is to process the file.
    let url: String
    private let key: String

    /// - Throws: `misconfigured` for a job with a URL, `rejected` for a key that is not a path.
    init(_ job: UploadJob, _ configuration: ResumableConfiguration) throws(UploadError) {
        guard case .named(_, let key) = job.destination else {
            throw UploadError(.misconfigured, "a resumable destination is named: use NAME:KEY instead of a URL")
        }
        guard !key.isEmpty else {
            throw UploadError(.rejected, "the key is empty: use NAME:KEY with a key of at least one character")
        }
        self.job = job
        self.key = key
        self.configuration = configuration
        url = configuration.hasKeyInURL ? try URLKey.append(key, to: configuration.url) : configuration.url
    }

    /// The URL as it may be shown.
    var displayURL: String { DestinationReference.redact(url) }

    var method: HTTPMethod {
        switch configuration.method ?? (configuration.hasKeyInURL ? .put : .post) {
        case .post: .POST
        case .put: .PUT
        }
    }

    /// Headers that describe the file, sent with the request that the server processes: "Representation metadata included in the initial
    /// request can affect how servers act on the uploaded representation data" (draft -11, "Upload Creation").
    var headers: [(name: String, value: String)] {
        var headers = [("content-type", job.contentType)]
        if !configuration.hasKeyInURL { headers.append(("content-disposition", disposition)) }
        headers += job.properties.headers.map { ($0.name, $0.value) }
        if let digest = job.digests.representation { headers.append(("repr-digest", digest)) }
        return headers
    }

    /// "The `inline` disposition type is RECOMMENDED"; the name is written as RFC 6266 and RFC 8187 say.
    private var disposition: String {
        let name = key.split(separator: "/").last.map(String.init) ?? key
        let plain = String(
            name.unicodeScalars.map { scalar in
                (0x20...0x7e).contains(scalar.value) && !"\"\\%".unicodeScalars.contains(scalar)
                    ? Character(scalar) : "_"
            })
        let disposition = "inline; filename=\"\(plain)\""
        return plain == name ? disposition : disposition + "; filename*=UTF-8''\(URLKey.escape(name))"
    }

    /// The object that the server made of the file. A `Repr-Digest` of an answer may describe the answer's own body (RFC 9530, section
    /// 3.1), so it proves nothing.
    /// - Parameters:
    ///   - place: the URL of the upload; nil for a file that went up in one request.
    ///   - reply: the answer of the request that completed the upload, or to HEAD of the upload.
    func object(_ reply: HTTPReply, at place: String?, _ response: ServerResponse) -> StoredObject {
        var location = place.map(DestinationReference.redact) ?? displayURL
        if configuration.hasKeyInURL {
            location = displayURL
        } else if let told = reply.header("location"),
            let absolute = URL(string: told, relativeTo: URL(string: url))?.absoluteString
        {
            location = DestinationReference.redact(absolute)
        }
        return StoredObject(location: location, etag: response.headers["etag"], size: job.size, digests: job.digests)
    }
}
