import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import Uploads

/// Sends requests to one server, with the headers that belong to each, and remembers which versions the server supports.
final class ResumableClient: Sendable {
    let configuration: ResumableConfiguration
    let address: UploadAddress

    private let client: HTTPClient
    private let known = Mutex(Remembered<ResumableSupport>())
    /// Versions in which the server has made an upload.
    private let proved = Mutex<Set<ResumableInterop>>([])

    /// - Throws: `misconfigured` for an invalid URL.
    init(_ configuration: ResumableConfiguration, client: HTTPClient) throws(UploadError) {
        self.configuration = configuration
        self.client = client
        address = try UploadAddress(configuration.url, others: configuration.uploadOrigins)
    }

    /// Sends one request. Every status is returned, not thrown.
    /// - Parameter interop: the version of the draft; nil for a plain request.
    /// - Throws: `networkFailure`, `misconfigured` (TLS), `interrupted`, or the source's error.
    func send(
        _ method: HTTPMethod, _ url: String, _ interop: ResumableInterop?,
        headers: [(name: String, value: String)] = [], body: HTTPBody? = nil
    ) async throws(UploadError) -> HTTPReply {
        let version = interop.map { [("upload-draft-interop-version", String($0.rawValue))] } ?? []
        let request = try HTTPClientRequest(
            method, url, configured: configuration.headers, headers: headers + version, tls: configuration.tls)
        let exchange = HTTPExchange(
            client: client, times: configuration.times, displayURL: DestinationReference.redact(url))
        return try await exchange.run(request, body: body)
    }

    /// Whether the server is known to take plain uploads only.
    var isPlain: Bool { known.withLock { $0.value(at: .now) == ResumableSupport.none } }

    /// Whether the server has made an upload in this version, so that its `Location` names an upload.
    func isProved(_ interop: ResumableInterop) -> Bool { proved.withLock { $0.contains(interop) } }

    func prove(_ interop: ResumableInterop) { proved.withLock { _ = $0.insert(interop) } }

    func remember(_ support: ResumableSupport) {
        guard configuration.interop == nil else { return }
        known.withLock { $0.remember(support, isProved: support != .none, at: .now) }
    }

    /// The versions that the server supports. The client asks once with each version, the newest first, until the server confirms that it
    /// takes resumable uploads. It asks before it begins an upload: a server without resumable uploads would store the beginning of one
    /// as an empty file.
    /// - Parameter url: where an upload is to be made.
    /// - Throws: the error of an answer that only postpones the question (408, 425, 429 or 5xx).
    func support(at url: String) async throws(UploadError) -> ResumableSupport {
        if let interop = configuration.interop { return .versions([interop], nil) }
        if let known = known.withLock({ $0.value(at: .now) }) { return known }
        for version in ResumableSupport.asked {
            let reply = try await send(.OPTIONS, url, version)
            switch reply.status {
            // A server that refuses the question may still allow the upload.
            case 401, 403, 407: return .none
            case 408, 425, 429, 500, 502...504, 506...599: throw failure(reply, of: "OPTIONS", at: url)
            default: break
            }
            let support = ResumableSupport(reply, asked: version)
            if support != .none {
                remember(support)
                return support
            }
            if reply.header("tus-resumable") != nil, version == ResumableSupport.asked.last {
                throw speaksTus(reply, at: url)
            }
            if [405, 501].contains(reply.status) { break }
            // Another page answered, but the server may be behind it.
            guard (200..<300).contains(reply.status) || ResumableErrorTable.mayBeOfVersion(reply.status) else {
                return .none
            }
        }
        remember(.none)
        return .none
    }

    /// The part of an answer that may be kept and shown.
    func shown(_ reply: HTTPReply, of url: String) -> ServerResponse {
        HTTPSecrets(headers: configuration.headers, url: url).shown(reply)
    }
}
