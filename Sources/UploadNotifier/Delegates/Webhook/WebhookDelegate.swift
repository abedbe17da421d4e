import AsyncHTTPClient
public import Foundation
public import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
public import Uploads

/// Posts outcomes to a URL: a CloudEvent in structured or binary mode, signed according to Standard Webhooks.
///
/// 2xx is success. 410 and errors that cannot pass pause the delegate; any other answer is tried again, not before the time of `Retry-After`.
/// Redirects are not followed, because only the first address was checked.
public final class WebhookDelegate: CompletionDelegate {
    /// Bytes of an answer that are read; after more the connection is closed.
    static let responseBytesMaximum = 65_536
    /// Bytes of an answer that are kept.
    static let responseBytesKept = DeliveryAttempt.answerBytesMaximum
    /// Seconds for the body, counted from the status.
    static let bodySeconds: TimeInterval = 5

    public let name: String
    private let url: String
    private let host: String
    private let timeout: TimeInterval
    private let mode: WebhookConfiguration.Mode
    private let mapping: FieldMapping?
    private let signer: WebhookSigner
    private let addresses: AddressGuard
    /// The authorities that may have signed the server's certificate; nil: those that the system trusts.
    private let authorities: [NIOSSLCertificate]?
    private let now: @Sendable () -> Date
    private let client = Mutex<PinnedClient?>(nil)
    /// The number of attempts without an answer; each sends the next attempt to the host's next address.
    private let misses = Atomic<Int>(0)

    /// - Throws: `misconfigured` for an invalid URL or secret; the error shows no secret part of either.
    public convenience init(
        name: String, _ configuration: WebhookConfiguration, mapping: FieldMapping? = nil,
        allowNetworks: [NetworkRange] = [], now: @escaping @Sendable () -> Date = { Date() }, logger: Logger
    ) throws(UploadError) {
        try self.init(
            name: name, configuration, mapping: mapping, addresses: AddressGuard(allowed: allowNetworks), now: now)
    }

    init(
        name: String, _ configuration: WebhookConfiguration, mapping: FieldMapping? = nil, addresses: AddressGuard,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(UploadError) {
        let address: WebhookAddress
        do throws(WebhookAddress.Problem) { address = try WebhookAddress(configuration.url) } catch {
            throw UploadError(.misconfigured, "delegate '\(name)': \(error.text)")
        }
        self.name = name
        self.url = address.url
        self.host = address.host
        self.timeout = configuration.timeout
        self.mode = configuration.mode
        self.mapping = mapping
        self.signer = try WebhookSigner(secrets: configuration.secrets, of: name)
        self.addresses = addresses
        self.now = now
        authorities = try configuration.authorities.map { (pem) throws(UploadError) in
            do { return try NIOSSLCertificate.fromPEMBytes(Array(pem)) } catch {
                throw UploadError(
                    .misconfigured, "delegate '\(name)': its caFile holds no certificates in PEM", cause: error)
            }
        }
    }

    @discardableResult
    public func deliver(_ event: UploadEvent) async throws(UploadError) -> ServerResponse? {
        let request = try request(for: event)
        let client = try await pinnedClient()
        let heard = WebhookAnswer()
        do {
            try await withTimeLimit(timeout) { try await Self.send(request, by: client, heard) }
        } catch  where heard.response != nil {
            // The status decides: a body that breaks off or does not end is no reason to deliver the event again.
        } catch let error as UploadError {
            throw error
        } catch is CancellationError {
            throw UploadError(.interrupted, "the notifier stopped during a delivery to webhook '\(name)'")
        } catch {
            misses.add(1, ordering: .relaxed)
            throw UploadError(
                .networkFailure, "webhook '\(name)' gave no answer within \(Int(timeout)) s or refused the connection",
                cause: error)
        }
        guard let answer = heard.response else {
            throw UploadError(.networkFailure, "webhook '\(name)' gave no answer")
        }
        try check(answer)
        return answer
    }

    private func request(for event: UploadEvent) throws(UploadError) -> HTTPClientRequest {
        let payload = try EventPayload(event, mapping: mapping)
        let body = try mode == .binary ? payload.data() : payload.structured()
        let timestamp = Int(now().timeIntervalSince1970)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        switch mode {
        case .structured: request.headers.add(name: "content-type", value: EventPayload.structuredType)
        case .binary:
            request.headers.add(name: "content-type", value: "application/json")
            request.headers.add(contentsOf: payload.attributes.map { ($0.name, $0.value) })
        }
        request.headers.add(name: "user-agent", value: "Longshore")
        request.headers.add(name: "webhook-id", value: event.id)
        request.headers.add(name: "webhook-timestamp", value: "\(timestamp)")
        request.headers.add(
            name: "webhook-signature", value: signer.signature(id: event.id, timestamp: timestamp, body: body))
        request.body = .bytes(body, length: .known(Int64(body.count)))
        return request
    }

    private func pinnedClient() async throws(UploadError) -> PinnedClient {
        let addresses = try await addresses.addresses(of: host)
        let misses = misses.load(ordering: .relaxed)
        return client.withLock { client in
            // Resolvers rotate the list with every answer; that alone is no reason to connect anew.
            if let client, client.misses == misses, addresses.contains(client.address) { return client }
            let fresh = PinnedClient(
                host: host, address: addresses[misses % addresses.count], misses: misses, authorities: authorities)
            client = fresh
            return fresh
        }
    }

    /// The caller's time limit covers the whole request; the client's deadline covers only the time until the status.
    private static func send(
        _ request: HTTPClientRequest, by client: PinnedClient, _ heard: WebhookAnswer
    ) async throws {
        let response = try await client.http.execute(request, deadline: .now() + .hours(1))
        var headers: [String: String] = [:]
        for name in ["content-type", "retry-after"] { headers[name] = response.headers.first(name: name) }
        heard.begin(ServerResponse(status: Int(response.status.code), headers: headers, body: Data()))
        try await withTimeLimit(bodySeconds) {
            var count = 0
            for try await buffer in response.body {
                count += buffer.readableBytes
                heard.add(buffer.readableBytesView, keeping: responseBytesKept)
                if count > responseBytesMaximum { break }
            }
        }
    }

    private func check(_ answer: ServerResponse) throws(UploadError) {
        let said = "webhook '\(name)' answered \(answer.status)"
        switch answer.status {
        case 200..<300: return
        case 301...303, 305...399:
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
