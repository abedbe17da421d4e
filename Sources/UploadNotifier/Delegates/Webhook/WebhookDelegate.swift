import AsyncHTTPClient
public import Foundation
public import Logging
import NIOCore
import NIOHTTP1
import Synchronization
public import Uploads

/// Posts outcomes to a URL: a CloudEvent in structured JSON mode, signed as Standard Webhooks says.
///
/// 2xx is success. 410 and what cannot pass pause the delegate; everything else is tried again, not before what
/// `Retry-After` says. Redirects are not followed: the address was checked, the next one was not.
public final class WebhookDelegate: CompletionDelegate {
    /// Bytes of an answer that are read; more is cut off with the connection.
    static let responseBytesMaximum = 65_536
    /// Bytes of an answer that are kept.
    static let responseBytesKept = 1024

    public let name: String
    private let url: String
    private let host: String
    private let timeout: TimeInterval
    private let signer: WebhookSigner
    private let addresses: AddressGuard
    private let now: @Sendable () -> Date
    private let client = Mutex<PinnedClient?>(nil)

    /// - Throws: `misconfigured` when the URL or a secret is none, without showing either's secret parts.
    public convenience init(
        name: String, _ configuration: WebhookConfiguration, allowNetworks: [NetworkRange] = [],
        now: @escaping @Sendable () -> Date = { Date() }, logger: Logger
    ) throws(UploadError) {
        try self.init(name: name, configuration, addresses: AddressGuard(allowed: allowNetworks), now: now)
    }

    init(
        name: String, _ configuration: WebhookConfiguration, addresses: AddressGuard,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(UploadError) {
        func refuse(_ why: String) -> UploadError { UploadError(.misconfigured, "delegate '\(name)': \(why)") }
        guard var url = URLComponents(string: configuration.url), let scheme = url.scheme?.lowercased(),
            scheme == "http" || scheme == "https", let host = url.host, !host.isEmpty
        else {
            throw refuse("its url must be like https://host/path")
        }
        guard url.user == nil, url.password == nil else {
            throw refuse("its url holds a user or password; the signature says who sends, so leave them out")
        }
        // The pin is looked up by the name as it stands in the URL.
        url.scheme = scheme
        url.host = host.lowercased()
        url.fragment = nil
        guard let text = url.string else { throw refuse("its url must be like https://host/path") }
        self.name = name
        self.url = text
        self.host = host.lowercased().trimmingCharacters(in: ["[", "]"])
        self.timeout = configuration.timeout
        self.signer = try WebhookSigner(secrets: configuration.secrets, of: name)
        self.addresses = addresses
        self.now = now
    }

    public func deliver(_ event: UploadEvent) async throws(UploadError) {
        let request = try request(for: event)
        let client = try await pinnedClient()
        let answer: ServerResponse
        do {
            answer = try await withTimeLimit(timeout) { try await Self.send(request, by: client) }
        } catch let error as UploadError {
            throw error
        } catch is CancellationError {
            throw UploadError(.interrupted, "stopped while telling webhook '\(name)'")
        } catch {
            throw UploadError(
                .networkFailure, "webhook '\(name)' gave no answer within \(Int(timeout)) s or refused the connection",
                cause: error)
        }
        try check(answer)
    }

    private func request(for event: UploadEvent) throws(UploadError) -> HTTPClientRequest {
        let body: Data
        do { body = try WireJSON.encode(event) } catch {
            throw UploadError(.unknown, "event \(event.id) cannot be written as JSON", cause: error)
        }
        let timestamp = Int(now().timeIntervalSince1970)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/cloudevents+json; charset=utf-8")
        request.headers.add(name: "user-agent", value: "Longshore")
        request.headers.add(name: "webhook-id", value: event.id)
        request.headers.add(name: "webhook-timestamp", value: "\(timestamp)")
        request.headers.add(
            name: "webhook-signature", value: signer.signature(id: event.id, timestamp: timestamp, body: body))
        request.body = .bytes(body, length: .known(Int64(body.count)))
        return request
    }

    private func pinnedClient() async throws(UploadError) -> PinnedClient {
        let address = try await addresses.address(of: host)
        return client.withLock { client in
            if let client, client.address == address { return client }
            let fresh = PinnedClient(host: host, address: address)
            client = fresh
            return fresh
        }
    }

    /// The time limit is the caller's: this one covers the answer's head alone.
    private static func send(_ request: HTTPClientRequest, by client: PinnedClient) async throws -> ServerResponse {
        let response = try await client.http.execute(request, deadline: .now() + .hours(1))
        var kept = Data()
        var count = 0
        for try await buffer in response.body {
            count += buffer.readableBytes
            kept.append(contentsOf: buffer.readableBytesView.prefix(responseBytesKept - kept.count))
            if count > responseBytesMaximum { break }
        }
        var headers: [String: String] = [:]
        for name in ["content-type", "retry-after"] { headers[name] = response.headers.first(name: name) }
        return ServerResponse(status: Int(response.status.code), headers: headers, body: kept)
    }

    private func check(_ answer: ServerResponse) throws(UploadError) {
        let said = "webhook '\(name)' answered \(answer.status)"
        switch answer.status {
        case 200..<300: return
        case 300..<400:
            throw UploadError(
                .rejected, "\(said); redirects are not followed, so register the final URL", retry: .afterBackoff,
                response: answer)
        case 410:
            throw UploadError(.rejected, "\(said): it wants no more events", retry: .never, response: answer)
        case 429, 500...:
            let code: UploadError.Code = answer.status == 429 ? .rateLimited : .serverFailure
            let after = answer.headers["retry-after"].flatMap { RetryAfter.seconds($0, now: now()) }
            throw UploadError(code, said, retry: after.map { .after(seconds: $0) } ?? .afterBackoff, response: answer)
        default:
            throw UploadError(.rejected, "\(said); it must answer 2xx", retry: .afterBackoff, response: answer)
        }
    }
}
