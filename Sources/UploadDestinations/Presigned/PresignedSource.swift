import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Uploads

/// Gets tickets from an endpoint whose calls the configuration describes.
struct PresignedSource: TicketSource {
    let configuration: PresignedConfiguration
    let endpoint: TicketEndpoint

    private let fields: PresignedFields
    private let completion: PresignedURLTemplate?
    private let status: PresignedURLTemplate?

    /// - Throws: `misconfigured` for an invalid URL or template.
    init(_ configuration: PresignedConfiguration, client: HTTPClient) throws(UploadError) {
        self.configuration = configuration
        try TicketEndpoint.check(configuration.url)
        fields = try PresignedFields(configuration.fields)
        completion = try Self.template(configuration.completion?.url)
        status = try Self.template(configuration.status?.url)
        endpoint = TicketEndpoint(
            client: client, headers: configuration.headers, secrets: Array(configuration.fields.values),
            times: configuration.times, tls: configuration.tls)
    }

    private static func template(_ url: String?) throws(UploadError) -> PresignedURLTemplate? {
        guard let url else { return nil }
        return try PresignedURLTemplate(url)
    }

    var driver: String { PresignedDestination.driverName }
    var displayURL: String { DestinationReference.redact(configuration.url) }
    var sendsContentMD5: Bool { configuration.sendsContentMD5 }
    var needsMD5: Bool { fields.needMD5 }
    var namesUploads: Bool { completion?.needsID == true || status?.needsID == true }

    func check(_ job: UploadJob) throws(UploadError) {
        guard case .named(_, let key) = job.destination else {
            throw UploadError(
                .misconfigured, "a destination of pre-signed URLs is named: use NAME:KEY instead of a URL")
        }
        guard !key.isEmpty else {
            throw UploadError(.rejected, "the key is empty: use NAME:KEY with a key of at least one character")
        }
        try fields.check(job)
    }

    func request(_ job: UploadJob, md5: Data?) async throws(UploadError) -> UploadTicket {
        let values = try fields.values(for: job, md5: md5)
        let method = HTTPMethod(rawValue: configuration.method)
        var url = configuration.url
        if method == .GET { url = Self.adding(values, to: url) }
        let reply = try await endpoint.call(method, url, json: method == .GET ? nil : .object(values))
        guard (200..<300).contains(reply.status) else {
            throw failure(reply, "\(method) \(displayURL)", of: url)
        }
        return try ticket(reply)
    }

    func complete(_ id: String?, of job: UploadJob) async throws(UploadError) -> TicketVerdict? {
        guard let completion, let call = configuration.completion else { return try await verdict(of: id, job) }
        let url = try completion.url(id, job)
        let said = "\(call.method) \(DestinationReference.redact(url))"
        let reply = try await endpoint.call(HTTPMethod(rawValue: call.method), url)
        if reply.status == 404, call.sendsAgainWhenAbsent, !call.doneStatuses.contains(404) {
            return .absent(
                UploadError(
                    .sessionExpired, "\(said) was answered 404: the file is not there, and is sent again",
                    response: endpoint.shown(reply, of: url)))
        }
        guard (200..<300).contains(reply.status) || call.doneStatuses.contains(reply.status) else {
            // The endpoint may have carried out an earlier call whose answer was lost.
            if reply.status == 409, let verdict = try await verdict(of: id, job) {
                if case .open = verdict { throw failure(reply, said, of: url) }
                return verdict
            }
            throw failure(reply, said, of: url)
        }
        return try await verdict(of: id, job) ?? .done(endpoint.shown(reply, of: url))
    }

    func verdict(of id: String?, _ job: UploadJob) async throws(UploadError) -> TicketVerdict? {
        guard let status, let words = configuration.status else { return nil }
        let url = try status.url(id, job)
        let said = "GET \(DestinationReference.redact(url))"
        let reply = try await endpoint.call(.GET, url)
        let response = endpoint.shown(reply, of: url)
        guard reply.status != 404 else { return .open }
        guard (200..<300).contains(reply.status) else { throw failure(reply, said, of: url) }
        guard let word = try reply.json(said).flatMap(JSONPath(words.path).value)?.scalarText else {
            throw UploadError(
                .invalidResponse, "\(said) was answered without '\(words.path)': correct the destination's status.path",
                response: response)
        }
        if words.done.contains(word) { return .done(response) }
        if words.failed.contains(word) {
            return .refused(
                UploadError(
                    .rejected, "\(said) says that the upload failed; its answer may say why", retry: .never,
                    response: response))
        }
        return words.open.contains(word) ? .open : .pending(response, askAgainSeconds: words.askAgainSeconds)
    }

    func location(_ sent: TicketState) -> String { sent.place }

    private static func adding(_ values: [String: JSONValue], to url: String) -> String {
        let pairs = values.sorted { $0.key < $1.key }.map { name, value in
            let text: String =
                switch value {
                case .bool(let value): String(value)
                default: value.scalarText ?? ""
                }
            return "\(URLKey.escape(name))=\(URLKey.escape(text))"
        }
        guard !pairs.isEmpty else { return url }
        return url + (url.contains("?") ? "&" : "?") + pairs.joined(separator: "&")
    }
}
