import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Uploads

/// The URL to which a job's requests go, with the headers and forms made for the job.
struct HTTPTarget: Sendable {
    let job: UploadJob
    let configuration: HTTPConfiguration
    /// The job's round, from 1.
    let round: Int
    /// Whether the URL itself is the credential.
    let isPresigned: Bool
    let url: String

    /// - Throws: `misconfigured` for a URL other than http(s), `rejected` for a key that is not a path.
    init(_ job: UploadJob, _ configuration: HTTPConfiguration, round: Int = 1) throws(UploadError) {
        self.job = job
        self.round = round
        self.configuration = configuration
        switch job.destination {
        case .url(let url):
            self.url = url
            isPresigned = url.utf8.contains(UInt8(ascii: "?"))
        case .named(let name, let key):
            guard let base = configuration.url else {
                throw UploadError(.misconfigured, "the destination '\(name)' has no url: add it to the configuration")
            }
            let appends = configuration.appendsKey || configuration.method == .put
            url = appends ? try URLKey.append(key, to: base) : base
            isPresigned = false
        }
        guard let components = URLComponents(string: url), ["http", "https"].contains(components.scheme?.lowercased()),
            components.host?.isEmpty == false, components.hasValidPort
        else {
            throw UploadError(.misconfigured, "\(DestinationReference.redact(url)) is no URL such as https://host/path")
        }
    }

    /// The URL as it may be shown.
    var displayURL: String { DestinationReference.redact(url) }

    func request(
        _ method: HTTPMethod, _ condition: WriteCondition = .none
    ) throws(UploadError) -> HTTPClientRequest {
        var request = try HTTPClientRequest(method, url, configured: configuration.headers, tls: configuration.tls)
        switch condition {
        case .none: break
        case .absent: request.headers.replaceOrAdd(name: "if-none-match", value: "*")
        // A weak tag never matches (RFC 9110, section 13.1.1): the write would fail in any case.
        case .unchanged(let etag) where etag.hasPrefix("W/"): break
        case .unchanged(let etag): request.headers.replaceOrAdd(name: "if-match", value: etag)
        }
        return request
    }

    /// A request that carries the file, in a form or as the body.
    /// - Throws: `rejected` for a job from which a header cannot be made.
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
                    "the destination makes the header \(name) from each job, and cannot from this one: \(problem); enqueue the file "
                        + "with other values, or change the destination")
            }
            request.headers.replaceOrAdd(name: name, value: value)
        }
        if configuration.sendsIdempotencyKey {
            // A string as structured fields write it (draft-ietf-httpapi-idempotency-key-header-07, section 2.1; RFC 9651, section 3.3.3).
            request.headers.replaceOrAdd(name: "idempotency-key", value: "\"\(attemptsKey)\"")
        }
        return request
    }

    /// The key that all attempts of a round share.
    private var attemptsKey: String { "\(job.id.rawValue).\(round)" }

    /// The form around the file; nil where the body is the file.
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
                "a POST to \(displayURL) cannot tell whether an object is there: enqueue the file with --if-exists replace"
            )
        }
    }

    /// The stored object, as far as the answer describes it.
    /// - Parameter sent: the size and digests of the sent file; nil when the answer describes the stored object.
    func object(_ response: ServerResponse, of sent: (size: Int64, digests: Digests)?) -> StoredObject {
        StoredObject(
            location: displayURL, etag: response.headers["etag"], version: response.headers["x-amz-version-id"],
            size: sent?.size ?? response.headers["content-length"].flatMap { Int64($0) },
            digests: sent?.digests ?? Digests(headers: response.headers))
    }

    /// The object that an accepted upload has made.
    func object(_ reply: HTTPReply, _ response: ServerResponse) -> StoredObject {
        var object = object(response, of: (job.size, job.digests))
        var place: String?
        if configuration.method == .post {
            // The server may process a posted file in any way, and the ETag belongs to the answer.
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
