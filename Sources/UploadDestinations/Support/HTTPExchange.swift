import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization
import Uploads

/// One request and its answer, within the limits of time. An answer that comes before the body is sent is the answer.
struct HTTPExchange: Sendable {
    /// Most of an answer's body that is read before the connection is given up, in bytes.
    static let drainBytesMaximum = 1 << 20
    /// Seconds for the rest of an answer whose status is there.
    static let restSeconds: TimeInterval = 10

    let client: HTTPClient
    let times: HTTPTimes
    /// What of the URL may be shown.
    let displayURL: String
    /// Most of an answer's body that is kept, in bytes.
    var keptBytesMaximum = ServerResponse.bodyBytesMaximum
    /// Seconds from the status to the end of the answer; nil where the body is what was asked for: then it may take as long as it moves.
    var restSeconds: TimeInterval? = Self.restSeconds

    /// How challenges are answered; nil: not at all.
    var digest: HTTPDigestAuthentication?

    /// Whether a request may have been carried out unnoticed, and again (RFC 9110, sections 9.2.2 and 13.2.1): a condition that held the first
    /// time may not hold the second.
    static func mayBeRepeated(_ method: HTTPMethod, _ headers: HTTPHeaders) -> Bool {
        let isIdempotent: Bool =
            switch method {
            case .GET, .HEAD, .PUT, .DELETE, .OPTIONS, .PROPFIND, .PROPPATCH, .MKCOL: true
            default: false
            }
        return isIdempotent && !headers.contains(name: "if-match") && !headers.contains(name: "if-none-match")
    }

    /// How often a request is sent whose connection dies before any answer: idle ones may have been closed, several of them at once.
    static let sendsMaximum = 4

    /// What moves in one request.
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
        /// Why it was called off.
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

        /// The server says that it is at work.
        func live() { state.withLock { $0.received = .now } }

        func end(_ stall: UploadError) { state.withLock { $0.stall = stall } }
    }

    /// - Throws: `networkFailure`, `misconfigured` (TLS), `interrupted`, or what the source threw. Every status is an answer.
    func run(_ request: HTTPClientRequest, body: HTTPBody?) async throws(UploadError) -> HTTPReply {
        try await authenticated(request, body) { request async throws(UploadError) in
            try await exchanged(request, body: body)
        }
    }

    /// The same as it stands.
    func exchanged(_ request: HTTPClientRequest, body: HTTPBody?) async throws(UploadError) -> HTTPReply {
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
            // The status is the server's last word on the request, whatever became of the rest: nothing that would repeat the request
            // may follow from a body that breaks off, stalls, or is not waited for because the worker stops.
            // An answer may also come before the body is sent: the driver sees by the body whether a success can be one.
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
            // What a source cannot give is no matter of connections.
            guard let body else { return true }
            // An idle connection has not taken much of a body when it turns out to be closed.
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

    /// Sends a request, again where it died on a connection that the server may have closed before it saw it.
    /// - Parameters:
    ///   - live: called for each answer 1xx.
    ///   - renew: makes it ready to be sent again; false where that cannot be.
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

    /// Whether a connection that was used before is to blame. What it brings that is no HTTP may belong to the answer before: some servers
    /// send a body behind their answer to HEAD.
    private static func isLostConnection(_ error: any Error) -> Bool {
        if case NIOSSLError.uncleanShutdown = error { return true }
        if error is HTTPParserError || error is NIOHTTPDecoderError { return true }
        if let error = error as? HTTPClientError { return [.remoteConnectionClosed, .uncleanShutdown].contains(error) }
        if let error = error as? IOError { return [ECONNRESET, EPIPE].contains(error.errnoCode) }
        return (error as? ChannelError).map { [.ioOnClosedChannel, .alreadyClosed, .eof].contains($0) } ?? false
    }

    /// - Returns: what is wrong when nothing has moved for too long, or the rest of an answer takes too long.
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

    /// What is wrong with an answer whose status has come: its rest takes too long, or the server is silent. How slow it is does not matter.
    /// - Parameter last: when something last came.
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

    /// - Parameter bodyBytes: of the body, as long as no answer to it is there.
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
