import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import Uploads

/// Sends requests to one bucket. The client limits their pace, signs them with current credentials, and repeats a request once if the
/// server reports a cause that can be corrected (region, clock, expired credentials).
///
/// Every request to the bucket passes `exchange`, repeats included; a header of every request is added there, before it is signed.
/// Requests for credentials (STS, instance metadata) go another way.
final class S3Client: Sendable {
    /// The longest time that a request waits for its turn, in seconds: a job that would have to wait longer goes back to the broker.
    static let waitSecondsMaximum: TimeInterval = 1

    let configuration: S3Configuration
    let clock = S3Clock()
    let kept = KeptBytes()

    private let client: HTTPClient
    /// Connections for small requests, and for bodies from files; nil where they go through a proxy.
    private let connections: HTTPConnections?
    private let address: S3Address
    private let credentials: CredentialsCache
    private let pace = Mutex(S3Pace())
    private let route: Mutex<S3Route>
    /// Whether an object was seen to have the lock that the destination asks for.
    private let locks: Mutex<Bool>
    /// Whether the server has not yet shown that it cannot copy objects.
    private let copies = Mutex(true)
    /// Whether it copies parts.
    let partCopies = LearnedAbility()
    /// Whether it compares the ETags of copied objects rightly, as far as that is known.
    private let copySources = Mutex(true)
    /// Operations whose last success reported the checksum of the stored bytes.
    private let tellingChecksums: Mutex<Set<String>>

    /// The values with which a request was signed.
    private struct Signing: Sendable {
        let keys: AWSCredentials
        let signer: SigV4Signer
        /// The host of a redirect.
        let host: String?
        let date: Date
    }

    /// A correction, learned from a failure, that may make a repeated request succeed.
    private enum Correction: Hashable { case elsewhere, clock, credentials }

    /// - Throws: `misconfigured`.
    init(
        _ configuration: S3Configuration, credentials: any AWSCredentialsProvider, client: HTTPClient,
        connections: HTTPConnections?
    ) throws(UploadError) {
        self.configuration = configuration
        self.client = client
        // The other client reads files with certificates again for each connection.
        self.connections = configuration.tls == TLSFiles() ? connections : nil
        self.credentials = CredentialsCache(credentials)
        address = try S3Address(configuration)
        tellingChecksums = Mutex(
            address.isAmazon && configuration.checksum != .none ? ["PutObject", "UploadPart"] : [])
        locks = Mutex(address.isAmazon)
        route = Mutex(S3Route(region: configuration.region ?? "us-east-1"))
    }

    /// Whether the server is known to lock objects, or to refuse objects that it cannot lock, as Amazon's does.
    var isKnownToLock: Bool { locks.withLock { $0 } }
    func noteLock() { locks.withLock { $0 = true } }

    /// Whether the server may copy objects by itself.
    var mayCopy: Bool { copies.withLock { $0 } }
    func noteCopiesLack() { copies.withLock { $0 = false } }

    /// Whether the server is not known to refuse a condition for the source of a copy that holds.
    var comparesCopySources: Bool { copySources.withLock { $0 } }
    func noteCopySourcesAreNotCompared() { copySources.withLock { $0 = false } }

    /// Whether this client's server also has the objects of another client's bucket.
    func isOfSameStore(as other: S3Client) -> Bool { address.isOfSameStore(as: other.address) }

    /// Whether requests go to Amazon's own servers.
    var isAmazon: Bool { address.isAmazon }

    /// How the server treats the conditions of writes; nil where that is not known.
    var conditions: S3Configuration.Conditions? { configuration.conditions ?? (address.isAmazon ? .all : nil) }

    /// Whether the checksum in an answer to HEAD is the server's own. A server that reported none when it stored the bytes may only
    /// repeat the request's header, even a wrong one (`rclone serve s3` does).
    var tellsChecksums: Bool { tellingChecksums.withLock { !$0.isEmpty } }

    /// Whether to compute the MD5 of the sent bytes. Where the server reports the checksum of the stored bytes, that proves more.
    func takesMD5(of operation: String) -> Bool {
        switch configuration.etagMeaning {
        case .md5: true
        case .opaque: false
        case nil: !tellingChecksums.withLock { $0.contains(operation) }
        }
    }

    /// Whether a body of so many bytes may be sent from a file.
    func sendsFile(of size: Int64) -> Bool {
        connections != nil && !address.isSecure && size > HTTPConnections.bodyBytesMaximum
    }

    /// The URL of an object, for people.
    func location(_ key: String?) -> String {
        let route = self.route.withLock { $0 }
        return address.place(key: key, region: route.region, host: route.host(at: .now)).url
    }

    /// - Returns: an answer with a status of success.
    /// - Throws: the error for any other answer; `networkFailure`, `interrupted`, or the source's error.
    func send(_ request: S3Request) async throws(UploadError) -> HTTPReply {
        switch try await answer(request) {
        case .success(let reply): return reply
        case .failure(let failure): throw failure.error(at: location(request.key))
        }
    }

    /// Sends a request like ``send(_:)``, for callers that expect some failures.
    func answer(_ request: S3Request) async throws(UploadError) -> Answer {
        var tried: Set<Correction> = []
        while true {
            try await waitForTurn()
            let startedAt = ContinuousClock.now
            let keys = try await credentials.current(at: clock.now())
            let route = self.route.withLock { $0 }
            let signing = Signing(
                keys: keys, signer: route.signer, host: route.host(at: startedAt), date: clock.now())
            let reply = try await exchangeOrForget(request, signing)
            if (200..<300).contains(reply.status) {
                pace.withLock { $0.served() }
                note(reply, to: request, signing)
                return .success(reply)
            }
            let failure = await explained(S3Failure(reply, operation: request.operation), of: request, signing)
            if failure.isThrottling {
                pace.withLock { $0.refused(startedAt: startedAt, retryAfter: failure.retryAfter, at: .now) }
            }
            guard let correction = correct(failure, signing), tried.insert(correction).inserted else {
                if !failure.isAboutObject { forgetRedirect(signing) }
                return .failure(failure)
            }
        }
    }

    enum Answer: Sendable {
        case success(HTTPReply)
        case failure(S3Failure)
    }

    /// Learns from a success.
    private func note(_ reply: HTTPReply, to request: S3Request, _ signing: Signing) {
        // Something other than a bucket answers at the redirect's host.
        let lacksTag = [.PUT, .HEAD].contains(request.method) && reply.givenETag == nil
        let lacksDocument =
            (request.method == .POST || request.method == .GET) && request.download == nil && !reply.isXML
        if lacksTag || lacksDocument || reply.isPage { forgetRedirect(signing) }
        guard request.method == .PUT, let checksum = S3Digest.header(configuration.checksum) else { return }
        tellingChecksums.withLock { operations in
            if reply.header(checksum) == nil {
                operations.remove(request.operation)
            } else {
                operations.insert(request.operation)
            }
        }
    }

    /// Sends a request. A redirect to a host that does not answer is not followed again.
    private func exchangeOrForget(_ request: S3Request, _ signing: Signing) async throws(UploadError) -> HTTPReply {
        do throws(UploadError) {
            return try await exchange(request, signing)
        } catch {
            forgetRedirect(signing)
            throw error
        }
    }

    private func forgetRedirect(_ signing: Signing) {
        guard let host = signing.host else { return }
        route.withLock { $0.forget(host) }
    }

    private func exchange(
        _ request: S3Request, _ signing: Signing
    ) async throws(UploadError) -> HTTPReply {
        let place = address.place(key: request.key, region: signing.signer.region, host: signing.host)
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
            contentsOf: signing.signer.sign(signable, payload: hash, credentials: signing.keys, at: signing.date))
        var exchange = HTTPExchange(
            client: client, times: configuration.times, displayURL: place.url,
            keptBytesMaximum: request.keptBytesMaximum)
        exchange.restSeconds = request.restSeconds
        if let connections, request.download == nil,
            let origin = HTTPOrigin(scheme: place.scheme, authority: place.host),
            let body = try await request.payload.kept(for: place.url, isSecure: origin.isSecure)
        {
            let head = HTTPRequestHead(
                version: .http1_1, method: request.method, uri: place.path + query, headers: headers)
            do throws(UploadError) {
                return try await exchange.run(head, body: body, over: connections, to: origin)
            } catch {
                guard case .stream(let body, _) = request.payload, body.isFileRefused else { throw error }
            }
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

    /// The answer to HEAD has no body: a GET of the same object brings the reason of a failure.
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

    /// Learns from a failure how to correct the next request.
    /// - Returns: nil when the failure suggests no correction.
    private func correct(_ failure: S3Failure, _ signing: Signing) -> Correction? {
        if failure.areCredentialsExpired {
            credentials.reject(signing.keys)
            return .credentials
        }
        if failure.isClockSkew, let date = failure.date, clock.learn(serverDate: date, signedAt: signing.date) {
            return .clock
        }
        guard failure.isElsewhere else { return nil }
        let now = ContinuousClock.now
        return route.withLock { route in
            // Another request has already learned the correction.
            guard route.region == signing.signer.region, route.host(at: now) == signing.host else { return .elsewhere }
            if let region = failure.region, region != route.region {
                route.move(to: region)
            } else if let host = failure.host, host != signing.host, address.allows(host) {
                route.follow(host, at: now)
            } else {
                return nil
            }
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
