import AsyncHTTPClient
import Foundation
import Glibc
import HTTPCalls
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import Uploads

/// Sends one request and reads its answer, within the limits of time. An answer that comes before the whole body is sent counts, too.
struct HTTPExchange: Sendable {
    /// The most bytes of an answer's body that are read before the connection is given up.
    static let drainBytesMaximum = 1 << 20
    /// Seconds from an answer's status to its end.
    static let restSeconds: TimeInterval = 10

    let client: HTTPClient
    let times: HTTPTimes
    /// The URL as it may be shown.
    let displayURL: String
    /// The most bytes of an answer's body that are kept.
    var keptBytesMaximum = ServerResponse.bodyBytesMaximum
    /// Seconds from the status to the end of the answer; nil for a download, which may take as long as bytes come.
    var restSeconds: TimeInterval? = Self.restSeconds

    /// Login and session for Digest challenges; nil: challenges are not answered.
    var digest: HTTPDigestAuthentication?

    /// Whether a request may be sent again if the server may have carried it out already (RFC 9110, sections 9.2.2 and 13.2.1). Not one
    /// with a condition: it may hold the first time and fail the second.
    static func mayBeRepeated(_ method: HTTPMethod, _ headers: HTTPHeaders) -> Bool {
        let isIdempotent: Bool =
            switch method {
            case .GET, .HEAD, .PUT, .DELETE, .OPTIONS, .PROPFIND, .PROPPATCH, .MKCOL: true
            default: false
            }
        return isIdempotent && !headers.contains(name: "if-match") && !headers.contains(name: "if-none-match")
    }

    /// How often a request is sent if its connection dies before an answer: the server may have closed several idle connections at once.
    static let sendsMaximum = 4

    /// Progress of one request.
    private final class Movement: Sendable {
        private struct State {
            var received = ContinuousClock.now
            var slowness: SlowAnswer?
            var stall: UploadError?
            var reply: HTTPReply?
            var repliedAt: ContinuousClock.Instant?
        }

        private let state = Mutex(State())

        /// When the last byte of the answer came; the request's start at first.
        var received: ContinuousClock.Instant { state.withLock { $0.received } }
        /// Why the request was stopped; nil while it was not.
        var stall: UploadError? { state.withLock { $0.stall } }

        /// The answer as far as it has come; nil before its status.
        var reply: HTTPReply? { state.withLock { $0.reply } }
        /// When the status came.
        var repliedAt: ContinuousClock.Instant? { state.withLock { $0.repliedAt } }

        func begin(_ reply: HTTPReply, minimum: Int) {
            state.withLock { state in
                state.received = .now
                state.repliedAt = .now
                state.reply = reply
                state.slowness = SlowAnswer(at: .now, minimum: minimum)
            }
        }

        /// Whether the answer comes too slowly to wait for its end.
        var isTooSlow: Bool { state.withLock { $0.slowness?.isTooSlow(at: .now) ?? false } }

        func add(_ bytes: some Collection<UInt8>, of count: Int) {
            state.withLock { state in
                state.received = .now
                state.slowness?.receive(count, at: .now)
                state.reply?.body += Data(bytes)
            }
        }

        /// The server reports that it is working.
        func live() { state.withLock { $0.received = .now } }

        func end(_ stall: UploadError) { state.withLock { $0.stall = stall } }
    }

    /// - Throws: `networkFailure`, `misconfigured` (TLS), `interrupted`, or the source's error. Every status is returned, not thrown.
    func run(_ request: HTTPClientRequest, body: HTTPBody?) async throws(UploadError) -> HTTPReply {
        try await authenticated(request, body) { request async throws(UploadError) in
            try await exchanged(request, body: body)
        }
    }

    /// Sends the request without answering challenges.
    func exchanged(_ request: HTTPClientRequest, body: HTTPBody?) async throws(UploadError) -> HTTPReply {
        let span = RequestSpan(request.method, displayURL)
        return try await span.ends { () async throws(UploadError) in
            try await sent(request.naming(span), body: body)
        }
    }

    private func sent(_ request: HTTPClientRequest, body: HTTPBody?) async throws(UploadError) -> HTTPReply {
        var request = request
        let body = body?.written(by: Array(client.eventLoopGroup.makeIterator()))
        if let body { request.body = body.stream() }
        let movement = Movement()
        let ready = request
        let task = Task {
            do {
                return Result<HTTPReply, any Error>.success(try await answer(ready, body, movement))
            } catch {
                return .failure(error)
            }
        }
        let watch = StallDetector.shared.add {
            guard let stall = stall(body, movement) else { return false }
            movement.end(stall)
            task.cancel()
            return true
        }
        defer { StallDetector.shared.remove(watch) }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        switch result {
        case .success(let reply): return reply
        case .failure(let error):
            // The status is the server's final word on the request: a body that breaks off, stalls, or is not waited for because the
            // worker stops must not lead to a repetition.
            // An answer may also come before the body is sent: the driver checks by the body whether it can be a success.
            if let reply = movement.reply { return reply }
            if let stall = movement.stall { throw stall }
            if let failure = body?.failure {
                throw failure as? UploadError ?? UploadError(source: failure, of: displayURL)
            }
            throw failure(error)
        }
    }

    private func answer(
        _ request: HTTPClientRequest, _ body: HTTPBody?, _ movement: Movement
    ) async throws -> HTTPReply {
        let response = try await execute(request, movement.live) { request in
            // A failed source is not the connection's fault.
            guard let body else { return true }
            // A closed idle connection takes only a few bytes of a body before it fails.
            guard body.failure == nil, body.bytesTaken <= HTTPBody.idleBytesMaximum else { return false }
            request.body = body.stream()
            return true
        }
        response.headers.tellTime()
        var reply = HTTPReply(
            status: Int(response.status.code), headers: response.headers, body: Data(), isWhole: false)
        movement.begin(reply, minimum: times.bytesPerSecondMinimum)
        var count = 0
        for try await chunk in response.body {
            let room = keptBytesMaximum - (movement.reply?.body.count ?? 0)
            movement.add(chunk.readableBytesView.prefix(room), of: chunk.readableBytes)
            count += chunk.readableBytes
            if count > max(Self.drainBytesMaximum, keptBytesMaximum) { break }
        }
        reply.body = movement.reply?.body ?? Data()
        reply.isWhole = count == reply.body.count
        return reply
    }

    /// Sends a request, and again if it died on a connection that the server may have closed before it saw the request.
    /// - Parameters:
    ///   - live: called for each 1xx answer.
    ///   - renew: prepares the request to be sent again; returns false where that is impossible.
    func execute(
        _ request: HTTPClientRequest, _ live: @escaping @Sendable () -> Void,
        renew: (inout HTTPClientRequest) -> Bool = { _ in true }
    ) async throws -> HTTPClientResponse {
        var request = request
        for _ in 1..<Self.sendsMaximum {
            let carrier = HTTPCarrier()
            do {
                return try await send(request, live, carrier)
            } catch {
                guard carrier.mayBeStale, Self.isLostConnection(error), !Task.isCancelled, renew(&request) else {
                    throw error
                }
                guard carrier.isUnused || Self.mayBeRepeated(request.method, request.headers) else {
                    throw carrier.hasRested ? IdleConnectionClosed(error) : error
                }
            }
        }
        return try await send(request, live, HTTPCarrier())
    }

    private func send(
        _ request: HTTPClientRequest, _ live: @escaping @Sendable () -> Void, _ carrier: HTTPCarrier
    ) async throws -> HTTPClientResponse {
        guard URL(string: request.url)?.hasValidPort != false else {
            throw UploadError(
                .misconfigured, "\(displayURL) names a port that is none: correct the URL, or the server that told it")
        }
        let route = HTTPProxy.route(request, by: client)
        do {
            return try await HTTPSignsOfLife.listening(live, carrier, target: route.target) { header in
                var request = route.request
                request.headers.add(name: header.name, value: header.value)
                return try await route.client.execute(request, deadline: .distantFuture)
            }
        } catch {
            throw await HTTPProxy.refusal(error, of: request.url, by: client) ?? error
        }
    }

    /// Whether the failure may come from a reused connection. Bytes that are not HTTP may belong to the previous answer: some servers
    /// send a body after their answer to HEAD.
    private static func isLostConnection(_ error: any Error) -> Bool {
        if case NIOSSLError.uncleanShutdown = error { return true }
        if error is HTTPParserError || error is NIOHTTPDecoderError { return true }
        if let error = error as? HTTPClientError { return [.remoteConnectionClosed, .uncleanShutdown].contains(error) }
        if let error = error as? IOError { return [ECONNRESET, EPIPE].contains(error.errnoCode) }
        return (error as? ChannelError).map { [.ioOnClosedChannel, .alreadyClosed, .eof].contains($0) } ?? false
    }

    /// - Returns: an error when no bytes have moved for too long, or the rest of an answer takes too long.
    private func stall(_ body: HTTPBody?, _ movement: Movement) -> UploadError? {
        let isSending = body.map { !$0.isComplete } ?? false
        if !isSending, let restSeconds, let repliedAt = movement.repliedAt {
            return overdue(restSeconds, from: max(body?.lastMove ?? repliedAt, repliedAt), last: movement.received)
        }
        if !isSending, movement.isTooSlow { return tooSlow }
        return stall(
            isSending: isSending, since: max(body?.lastMove ?? movement.received, movement.received),
            bodyBytes: movement.reply == nil ? body?.size ?? 0 : 0)
    }

    /// The error of an answer whose rest takes too long, or whose server is silent; nil while neither is so. A slow answer is no error here.
    /// - Parameter last: when bytes last came.
    func overdue(
        _ restSeconds: TimeInterval, from replied: ContinuousClock.Instant, last: ContinuousClock.Instant
    ) -> UploadError? {
        guard replied + .seconds(restSeconds) > .now else {
            return UploadError(.networkFailure, "\(displayURL) did not end its answer: check the server")
        }
        return stall(isSending: false, since: last)
    }

    var tooSlow: UploadError {
        UploadError(
            .networkFailure,
            "\(displayURL) sends less than \(times.bytesPerSecondMinimum) bytes a second: check the network and the server"
        )
    }

    /// - Parameter bodyBytes: the size of the body while its answer has not come.
    func stall(isSending: Bool, since last: ContinuousClock.Instant, bodyBytes: Int64 = 0) -> UploadError? {
        let seconds = isSending ? times.stallSeconds : times.answerSeconds(bodyBytes: bodyBytes)
        guard last + .seconds(seconds) <= .now else { return nil }
        return UploadError(
            .networkFailure,
            isSending
                ? "\(displayURL) took no bytes for \(Int(seconds.rounded(.up))) s: check the network and the server"
                : "\(displayURL) did not answer within \(Int(seconds.rounded(.up))) s: check the server")
    }
}
