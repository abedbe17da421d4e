import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Uploads

/// One request and its answer, within the limits of time. An answer that comes before the body is sent is the answer.
struct HTTPExchange: Sendable {
    /// Most of an answer's body that is read before the connection is given up, in bytes.
    static let drainBytesMaximum = 1 << 20

    let client: HTTPClient
    let times: HTTPTimes
    /// What of the URL may be shown.
    let displayURL: String
    /// Most of an answer's body that is kept, in bytes.
    var keptBytesMaximum = ServerResponse.bodyBytesMaximum

    /// What moves in one request.
    private final class Movement: Sendable {
        private struct State {
            var received = ContinuousClock.now
            var stall: UploadError?
        }

        private let state = Mutex(State())

        /// When the last byte of the answer came; the request's start at first.
        var received: ContinuousClock.Instant { state.withLock { $0.received } }
        /// Why it was called off.
        var stall: UploadError? { state.withLock { $0.stall } }

        func touch() { state.withLock { $0.received = .now } }
        func end(_ stall: UploadError) { state.withLock { $0.stall = stall } }
    }

    /// - Throws: `networkFailure`, `misconfigured` (TLS), `interrupted`, or what the source threw. Every status is an answer.
    func run(_ request: HTTPClientRequest, body: HTTPBody?) async throws(UploadError) -> HTTPReply {
        var request = request
        if var body {
            body.loops = Array(client.eventLoopGroup.makeIterator())
            request.body = .stream(body, length: .known(body.size))
        }
        let movement = Movement()
        let ready = request
        let task = Task {
            do {
                return Result<HTTPReply, any Error>.success(try await answer(ready, movement))
            } catch {
                return .failure(error)
            }
        }
        let watch = StallWatch.shared.add {
            guard let stall = stall(body, movement) else { return false }
            movement.end(stall)
            task.cancel()
            return true
        }
        defer { StallWatch.shared.remove(watch) }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        switch result {
        case .success(let reply): return reply
        case .failure(let error):
            if let stall = movement.stall { throw stall }
            if let failure = body?.failure {
                throw failure as? UploadError ?? UploadError(source: failure, of: displayURL)
            }
            throw failure(error)
        }
    }

    private func answer(
        _ request: HTTPClientRequest, _ movement: Movement
    ) async throws -> HTTPReply {
        let response = try await client.execute(request, deadline: .distantFuture)
        movement.touch()
        var reply = HTTPReply(status: Int(response.status.code), headers: response.headers, body: Data(), isWhole: true)
        var count = 0
        do {
            for try await chunk in response.body {
                movement.touch()
                count += chunk.readableBytes
                reply.body += Data(chunk.readableBytesView.prefix(keptBytesMaximum - reply.body.count))
                if count > max(Self.drainBytesMaximum, keptBytesMaximum) { break }
            }
        } catch {
            // The status is an answer all the same; a body that breaks off is kept as far as it came.
            try Task.checkCancellation()
            reply.isWhole = false
        }
        if count > reply.body.count { reply.isWhole = false }
        return reply
    }

    /// - Returns: what is wrong when nothing has moved for too long.
    private func stall(_ body: HTTPBody?, _ movement: Movement) -> UploadError? {
        stall(
            isSending: body.map { !$0.isComplete } ?? false,
            since: max(body?.lastMove ?? movement.received, movement.received))
    }

    func stall(isSending: Bool, since last: ContinuousClock.Instant) -> UploadError? {
        let seconds = isSending ? times.stallSeconds : times.firstByteSeconds
        guard last + .seconds(seconds) <= .now else { return nil }
        return UploadError(
            .networkFailure,
            isSending
                ? "\(displayURL) took no bytes for \(Int(seconds.rounded(.up))) s: check the network and the server"
                : "\(displayURL) did not answer within \(Int(seconds.rounded(.up))) s: check the server")
    }
}
