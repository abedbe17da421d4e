import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Uploads

/// Where a job's requests go, and how that may be shown.
struct HTTPTarget: Sendable {
    let job: UploadJob
    let configuration: HTTPConfiguration
    /// Of the job, from 1.
    let round: Int
    /// Whether the URL itself is the credential.
    let isPresigned: Bool
    let url: String

    /// - Throws: `misconfigured` for what is no http(s) URL, `rejected` for a key that is no path.
    init(_ job: UploadJob, _ configuration: HTTPConfiguration, round: Int = 1) throws(UploadError) {
        self.job = job
        self.round = round
        self.configuration = configuration
        switch job.destination {
        case .url(let url):
            self.url = url
            isPresigned = url.contains("?")
        case .named(let name, let key):
            guard let base = configuration.url else {
                throw UploadError(.misconfigured, "the destination '\(name)' has no url: add it to the configuration")
            }
            let appends = configuration.appendsKey || configuration.method == .put
            url = appends ? try URLKey.append(key, to: base) : base
            isPresigned = false
        }
        guard let components = URLComponents(string: url), ["http", "https"].contains(components.scheme?.lowercased()),
            components.host?.isEmpty == false
        else {
            throw UploadError(.misconfigured, "\(DestinationReference.redact(url)) is no URL such as https://host/path")
        }
    }

    /// What may be shown.
    var displayURL: String { DestinationReference.redact(url) }

    func request(
        _ method: HTTPMethod, _ condition: WriteCondition = .none
    ) throws(UploadError) -> HTTPClientRequest {
        var request = try HTTPClientRequest(method, url, configured: configuration.headers, tls: configuration.tls)
        switch condition {
        case .none: break
        case .absent: request.headers.replaceOrAdd(name: "if-none-match", value: "*")
        // A weak tag never matches (RFC 9110, section 13.1.1): the write would fail whatever lies there.
        case .unchanged(let etag) where etag.hasPrefix("W/"): break
        case .unchanged(let etag): request.headers.replaceOrAdd(name: "if-match", value: etag)
        }
        return request
    }

    /// A request that carries the file, in a form or as it is.
    /// - Throws: `rejected` for a job of which a header cannot be made.
    func upload(_ condition: WriteCondition, in form: HTTPFormBody? = nil) throws(UploadError) -> HTTPClientRequest {
        var request = try request(HTTPMethod(rawValue: configuration.method.rawValue), condition)
        request.headers.replaceOrAdd(name: "content-type", value: form?.contentType ?? job.contentType)
        if form == nil {
            for (name, value) in job.properties.headers { request.headers.replaceOrAdd(name: name, value: value) }
        }
        for (name, template) in configuration.jobHeaders {
            guard let value = template.text(for: job), !value.isEmpty else { continue }
            if let problem = ObjectProperties.problem(headerValue: value) {
                throw UploadError(
                    .rejected,
                    "the destination makes the header \(name) of each job, and of this one it cannot: \(problem); enqueue the file "
                        + "with something else, or change the destination")
            }
            request.headers.replaceOrAdd(name: name, value: value)
        }
        if configuration.sendsIdempotencyKey {
            // A string of structured fields (draft-ietf-httpapi-idempotency-key-header-07, section 2.1; RFC 9651, section 3.3.3).
            request.headers.replaceOrAdd(name: "idempotency-key", value: "\"\(attemptsKey)\"")
        }
        return request
    }

    /// What all attempts of a round have in common.
    private var attemptsKey: String { "\(job.id.rawValue).\(round)" }

    /// What stands around the file; nil where the body is the file.
    func form() throws(UploadError) -> HTTPFormBody? {
        guard let form = configuration.form else { return nil }
        return try HTTPFormBody(form, job, seed: configuration.sendsIdempotencyKey ? attemptsKey : nil)
    }

    /// - Throws: `rejected` for a job that this destination cannot carry.
    func check() throws(UploadError) {
        if let maximum = configuration.sizeMaximum, job.size > maximum {
            throw UploadError(
                .rejected, "the file has \(job.size) bytes; \(displayURL) takes at most \(maximum)", retry: .never)
        }
        if configuration.method == .post, job.ifExists != .replace {
            throw UploadError(
                .rejected,
                "a POST to \(displayURL) cannot say what is there already: enqueue the file with --if-exists replace")
        }
    }

    /// What was stored, as far as the answer tells.
    /// - Parameter sent: the size and digests of what was sent; nil when the answer describes what lies there.
    func object(_ response: ServerResponse, of sent: (size: Int64, digests: Digests)?) -> StoredObject {
        StoredObject(
            location: displayURL, etag: response.headers["etag"], version: response.headers["x-amz-version-id"],
            size: sent?.size ?? response.headers["content-length"].flatMap { Int64($0) },
            digests: sent?.digests ?? Digests(headers: response.headers))
    }

    /// What an accepted upload has made.
    func object(_ reply: HTTPReply, _ response: ServerResponse) -> StoredObject {
        var object = object(response, of: (job.size, job.digests))
        var place: String?
        if configuration.method == .post {
            // What became of what was posted is the server's own affair, and the tag is the answer's.
            object.etag = nil
            object.digests = Digests()
            // RFC 9110, section 10.2.2.
            if [201, 303].contains(reply.status) { place = reply.header("location") }
        }
        if let path = configuration.answerURL, let text = HTTPAnswerPath.text(path, in: reply.body) { place = text }
        if let place, let found = URL(string: place, relativeTo: URL(string: url))?.absoluteString {
            object.location = DestinationReference.redact(secrets.blotted(found))
        }
        return object
    }
}
