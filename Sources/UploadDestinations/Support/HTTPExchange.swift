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

    /// When the last byte of the answer came; the request's start at first.
    private final class LastReceived: Sendable {
        private let value = Mutex(ContinuousClock.now)

        var instant: ContinuousClock.Instant { value.withLock { $0 } }

        func touch() { value.withLock { $0 = .now } }
    }

    private enum Ending: Sendable {
        case answered(HTTPReply)
        case failed(any Error)
        case stalled(UploadError)
    }

    /// - Throws: `networkFailure`, `misconfigured` (TLS), `interrupted`, or what the source threw. Every status is an answer.
    func run(_ request: HTTPClientRequest, body: HTTPBody?) async throws(UploadError) -> HTTPReply {
        var request = request
        if var body {
            body.loops = Array(client.eventLoopGroup.makeIterator())
            request.body = .stream(body, length: .known(body.size))
        }
        let received = LastReceived()
        let ready = request
        let ending = await withTaskGroup(of: Ending?.self) { group in
            group.addTask {
                do {
                    return .answered(try await answer(ready, received))
                } catch {
                    return .failed(error)
                }
            }
            group.addTask {
                await watch(body, received).map { .stalled($0) }
            }
            var ending: Ending?
            while ending == nil, let next = await group.next() { ending = next }
            group.cancelAll()
            return ending
        }
        switch ending {
        case .answered(let reply): return reply
        case .stalled(let error): throw error
        case .failed(let error):
            if let failure = body?.failure {
                throw failure as? UploadError ?? UploadError(source: failure, of: displayURL)
            }
            if Task.isCancelled {
                throw UploadError(.interrupted, "the request to \(displayURL) was interrupted")
            }
            throw UploadError(connection: error, to: displayURL)
        case nil:
            throw UploadError(.interrupted, "the request to \(displayURL) was interrupted")
        }
    }

    private func answer(
        _ request: HTTPClientRequest, _ received: LastReceived
    ) async throws -> HTTPReply {
        let response = try await client.execute(request, deadline: .distantFuture)
        received.touch()
        var reply = HTTPReply(status: Int(response.status.code), headers: response.headers, body: Data(), isWhole: true)
        var count = 0
        do {
            for try await chunk in response.body {
                received.touch()
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

    /// Returns when nothing has moved for too long; nil when the task is cancelled.
    private func watch(
        _ body: HTTPBody?, _ received: LastReceived
    ) async -> UploadError? {
        while !Task.isCancelled {
            let isSending = body.map { !$0.isComplete } ?? false
            let seconds = isSending ? times.stallSeconds : times.firstByteSeconds
            let due = max(body?.lastMove ?? received.instant, received.instant) + .seconds(seconds)
            if due <= .now {
                return UploadError(
                    .networkFailure,
                    isSending
                        ? "\(displayURL) took no bytes for \(Int(seconds.rounded(.up))) s: check the network and the server"
                        : "\(displayURL) did not answer within \(Int(seconds.rounded(.up))) s: check the server")
            }
            try? await Task.sleep(until: due, clock: .continuous)
        }
        return nil
    }
}
