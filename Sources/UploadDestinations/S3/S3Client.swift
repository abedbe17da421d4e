import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import Uploads

/// Sends requests to one bucket: paced, signed with credentials that are current, and sent once more where the server says what
/// was wrong with the first (its region, the clock, expired credentials).
final class S3Client: Sendable {
    /// The longest that a request waits for its turn, in seconds: who would wait longer goes back to the broker.
    static let waitSecondsMaximum: TimeInterval = 1

    let configuration: S3Configuration
    let clock = S3Clock()

    private let client: HTTPClient
    /// For small requests; nil where they go through a proxy.
    private let connections: HTTPConnections?
    private let address: S3Address
    private let credentials: CredentialsCache
    private let pace = Mutex(S3Pace())
    private let route: Mutex<Route>

    /// Where the bucket was found to be, with the signer for its region.
    private struct Route: Sendable {
        var signer: SigV4Signer
        /// Where a redirect has led.
        var host: String?
        var isRedirected = false

        var region: String { signer.region }
    }

    /// What a request was signed with.
    private struct Signing: Sendable {
        let keys: AWSCredentials
        let route: Route
        let date: Date
    }

    /// What is said of a failure may lead to a request that succeeds.
    private enum Correction: Hashable { case elsewhere, clock, credentials }

    /// - Throws: `misconfigured`.
    init(
        _ configuration: S3Configuration, credentials: any AWSCredentialsProvider, client: HTTPClient,
        connections: HTTPConnections?
    ) throws(UploadError) {
        self.configuration = configuration
        self.client = client
        // Files with certificates are read anew for each connection of the other client.
        self.connections = configuration.tls == TLSFiles() ? connections : nil
        self.credentials = CredentialsCache(credentials)
        address = try S3Address(configuration)
        route = Mutex(Route(signer: SigV4Signer(region: configuration.region ?? "us-east-1")))
    }

    /// Where an object is, for people.
    func location(_ key: String?) -> String {
        let route = self.route.withLock { $0 }
        return address.place(key: key, region: route.region, host: route.host).url
    }

    /// - Returns: any answer with a status of success.
    /// - Throws: what every other answer means; `networkFailure`, `interrupted`, or what the source threw.
    func send(_ request: S3Request) async throws(UploadError) -> HTTPReply {
        switch try await answer(request) {
        case .success(let reply): return reply
        case .failure(let failure): throw failure.error(at: location(request.key))
        }
    }

    /// The same, for those who expect some failures.
    func answer(_ request: S3Request) async throws(UploadError) -> Answer {
        var tried: Set<Correction> = []
        while true {
            try await waitForTurn()
            let startedAt = ContinuousClock.now
            let signing = Signing(
                keys: try await credentials.current(at: clock.now()), route: route.withLock { $0 }, date: clock.now())
            let reply = try await exchange(request, signing)
            if (200..<300).contains(reply.status) {
                pace.withLock { $0.served() }
                return .success(reply)
            }
            let failure = await explained(S3Failure(reply, operation: request.operation), of: request, signing)
            if failure.isThrottling {
                pace.withLock { $0.refused(startedAt: startedAt, retryAfter: failure.retryAfter, at: .now) }
            }
            guard let correction = correct(failure, signing), tried.insert(correction).inserted else {
                return .failure(failure)
            }
            guard request.isRepeatable else {
                let error = failure.error(at: location(request.key))
                throw UploadError(error.code, error.message, retry: .after(seconds: 0), response: error.response)
            }
        }
    }

    enum Answer: Sendable {
        case success(HTTPReply)
        case failure(S3Failure)
    }

    private func exchange(
        _ request: S3Request, _ signing: Signing
    ) async throws(UploadError) -> HTTPReply {
        let route = signing.route
        let place = address.place(key: request.key, region: route.region, host: route.host)
        let hash: PayloadHash =
            switch request.payload {
            case .none: .empty
            case .data(let bytes): .hash(of: bytes)
            case .stream(_, let sha256): sha256.map { .sha256($0) } ?? .unsigned
            }
        let signable = SignableRequest(
            method: request.method.rawValue, host: place.host, path: place.path, query: request.query,
            headers: HTTPHeaders(request.headers.map { ($0.name, $0.value) }))
        let query = request.query.isEmpty ? "" : "?" + S3Encoding.query(request.query)
        var headers = signable.headers
        headers.add(name: "host", value: place.host)
        headers.add(
            contentsOf: route.signer.sign(signable, payload: hash, credentials: signing.keys, at: signing.date))
        var exchange = HTTPExchange(
            client: client, times: configuration.times, displayURL: place.url,
            keptBytesMaximum: request.keptBytesMaximum)
        exchange.restSeconds = request.restSeconds
        if let connections, request.download == nil,
            let origin = HTTPOrigin(scheme: place.scheme, authority: place.host),
            let body = try await request.payload.collected(for: place.url)
        {
            let head = HTTPRequestHead(
                version: .http1_1, method: request.method, uri: place.path + query, headers: headers)
            return try await exchange.run(head, body: body, over: connections, to: origin)
        }
        var http = HTTPClientRequest(url: place.url + query)
        http.method = request.method
        http.headers = headers
        http.tlsConfiguration = try configuration.tls.configuration()
        if let download = request.download { return try await exchange.download(http, to: download) }
        switch request.payload {
        case .none: return try await exchange.run(http, body: nil)
        case .data(let bytes):
            http.body = .bytes(ByteBuffer(bytes: bytes))
            return try await exchange.run(http, body: nil)
        case .stream(let body, _): return try await exchange.run(http, body: body)
        }
    }

    /// The answer to HEAD has no body: the same question by GET brings the reason.
    private func explained(
        _ failure: S3Failure, of request: S3Request, _ signing: Signing
    ) async -> S3Failure {
        guard request.method == .HEAD, failure.code.isEmpty, [400, 403].contains(failure.status) else { return failure }
        var again = request
        again.method = .GET
        again.headers.append(("range", "bytes=0-0"))
        guard let reply = try? await exchange(again, signing), !(200..<300).contains(reply.status) else {
            return failure
        }
        return S3Failure(reply, operation: request.operation)
    }

    /// Learns from a failure what makes the next request better.
    /// - Returns: nil when nothing was learnt.
    private func correct(_ failure: S3Failure, _ signing: Signing) -> Correction? {
        if failure.areCredentialsExpired {
            credentials.reject(signing.keys)
            return .credentials
        }
        if failure.isClockSkew, let date = failure.date, clock.learn(serverDate: date, signedAt: signing.date) {
            return .clock
        }
        guard failure.isElsewhere else { return nil }
        return route.withLock { route in
            // Somebody else has learnt it in the meantime.
            guard route.region == signing.route.region, route.host == signing.route.host else { return .elsewhere }
            guard !route.isRedirected else { return nil }
            if let region = failure.region, region != route.region {
                route.signer = SigV4Signer(region: region)
            } else if let host = failure.host, address.allows(host) {
                route.host = host
            } else {
                return nil
            }
            route.isRedirected = true
            return .elsewhere
        }
    }

    private func waitForTurn() async throws(UploadError) {
        let now = ContinuousClock.now
        let turn: S3Pace.Instant? = pace.withLock { pace in
            var next = pace
            let turn = next.turn(at: now)
            guard turn - now <= .seconds(Self.waitSecondsMaximum) else { return nil }
            pace = next
            return turn
        }
        guard let turn else {
            let rest = pace.withLock { pace in
                var copy = pace
                return (copy.turn(at: now) - now) / .seconds(1)
            }
            throw UploadError(
                .rateLimited, "\(location(nil)) has asked for fewer requests: it is given a rest of \(Int(rest)) s",
                retry: .pause(seconds: rest))
        }
        guard turn > now else { return }
        do {
            try await Task.sleep(until: turn, clock: .continuous)
        } catch {
            throw UploadError(.interrupted, "the request to \(location(nil)) was interrupted")
        }
    }
}
