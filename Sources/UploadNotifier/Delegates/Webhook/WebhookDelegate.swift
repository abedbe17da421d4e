public import Foundation
import HTTPCalls
public import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
public import Uploads

/// Posts outcomes to a URL: a CloudEvent in structured or binary mode, signed according to Standard Webhooks.
///
/// 2xx is success. 410 and errors that cannot pass pause the delegate; any other answer is tried again, not before the time of `Retry-After`.
/// Redirects are not followed, because only the first address was checked.
public final class WebhookDelegate: CompletionDelegate {
    private static let limits = HTTPCall.Limits(keptBytes: DeliveryAttempt.answerBytesMaximum, readBytes: 64 << 10)
    /// Seconds for the body, counted from the status.
    static let bodySeconds: TimeInterval = 5

    public let name: String
    private let address: WebhookAddress
    private let pinned: PinnedAddress
    private let connections: HTTPConnections
    private let timeout: TimeInterval
    private let mode: WebhookConfiguration.Mode
    private let mapping: FieldMapping?
    private let signer: WebhookSigner
    private let now: @Sendable () -> Date

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
        do throws(WebhookAddress.Problem) { address = try WebhookAddress(configuration.url) } catch {
            throw UploadError(.misconfigured, "delegate '\(name)': \(error.text)")
        }
        self.name = name
        self.pinned = PinnedAddress(of: address.host, addresses)
        self.timeout = configuration.timeout
        self.mode = configuration.mode
        self.mapping = mapping
        self.signer = try WebhookSigner(secrets: configuration.secrets, of: name)
        self.now = now
        connections =
            try configuration.authorities.map { (pem) throws(UploadError) in
                do { return try Self.connections(trusting: pem) } catch {
                    throw UploadError(
                        .misconfigured, "delegate '\(name)': its caFile holds no certificates in PEM", cause: error)
                }
            } ?? .shared
    }

    private static func connections(trusting authorities: Data) throws -> HTTPConnections {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(authorities)))
        return HTTPConnections(tls: .success(try NIOSSLContext(configuration: tls)))
    }

    @discardableResult
    public func deliver(_ event: UploadEvent) async throws(UploadError) -> ServerResponse? {
        let call = try call(for: event)
        var origin = address.origin
        origin.address = try await pinned.current().description
        let answer: ServerResponse
        switch await outcome(of: call, to: origin) {
        case .success(let reply): answer = Self.response(reply)
        case .failure(is CancellationError):
            throw UploadError(.interrupted, "the notifier stopped during a delivery to webhook '\(name)'")
        case .failure(let error):
            pinned.miss()
            throw UploadError(
                .networkFailure,
                "webhook '\(name)' cannot be reached, or did not answer within \(Int(timeout)) s: check that its server runs",
                cause: error)
        }
        try check(answer)
        return answer
    }

    /// Sends the request. Once its status has come, the call succeeds: a body that breaks off or does not end is no reason to deliver the event
    /// again.
    private func outcome(of call: HTTPCall, to origin: HTTPOrigin) async -> HTTPCall.Outcome {
        let end = ContinuousClock.now + .seconds(timeout)
        let watch = StallDetector.shared.add {
            let bodyEnd = call.answeredAt.map { $0 + .seconds(Self.bodySeconds) } ?? end
            guard min(end, bodyEnd) <= .now else { return false }
            call.giveUp(TimeLimitExceeded())
            return true
        }
        defer { StallDetector.shared.remove(watch) }
        return await withTaskCancellationHandler {
            connections.start(call, to: origin)
            return await call.outcome()
        } onCancel: {
            call.giveUp(CancellationError())
        }
    }

    private func call(for event: UploadEvent) throws(UploadError) -> HTTPCall {
        let payload = try EventPayload(event, mapping: mapping)
        let body = try mode == .binary ? payload.data() : payload.structured()
        let timestamp = Int(now().timeIntervalSince1970)
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: address.target)
        head.headers.add(name: "host", value: address.authority)
        head.headers.add(name: "content-length", value: "\(body.count)")
        switch mode {
        case .structured: head.headers.add(name: "content-type", value: EventPayload.structuredType)
        case .binary:
            head.headers.add(name: "content-type", value: "application/json")
            head.headers.add(contentsOf: payload.attributes.map { ($0.name, $0.value) })
        }
        if let trace = event.deliveryTrace { head.headers.add(name: TraceParent.header, value: trace.description) }
        head.headers.add(name: "user-agent", value: "Longshore")
        head.headers.add(name: "webhook-id", value: event.id)
        head.headers.add(name: "webhook-timestamp", value: "\(timestamp)")
        head.headers.add(
            name: "webhook-signature", value: signer.signature(id: event.id, timestamp: timestamp, body: body))
        // A receiver knows a repeat by its webhook-id.
        return HTTPCall(head, body: .bytes(ByteBuffer(bytes: body)), Self.limits, mayBeRepeated: true)
    }

    private static func response(_ answer: HTTPCall.Answer) -> ServerResponse {
        var headers: [String: String] = [:]
        for name in ["content-type", "retry-after"] { headers[name] = answer.headers.first(name: name) }
        return ServerResponse(status: answer.status, headers: headers, body: answer.body)
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
