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

    let target: HTTPTarget
    let client: HTTPClient

    /// When the last byte of the answer came; the request's start at first.
    private final class LastReceived: Sendable {
        private let value = Mutex(ContinuousClock.now)

        var instant: ContinuousClock.Instant { value.withLock { $0 } }

        func touch() { value.withLock { $0 = .now } }
    }

    private enum Ending: Sendable {
        case answered(ServerResponse)
        case failed(any Error)
        case stalled(UploadError)
    }

    /// - Throws: `networkFailure`, `misconfigured` (TLS), `interrupted`, or what the source threw. Every status is an answer.
    func run(_ request: HTTPClientRequest, body: HTTPBody?) async throws(UploadError) -> ServerResponse {
        var request = request
        request.body = body.map { .stream($0, length: .known($0.size)) }
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
        case .answered(let response): return response
        case .stalled(let error): throw error
        case .failed(let error):
            if let failure = body?.failure { throw failure as? UploadError ?? target.failure(source: failure) }
            if Task.isCancelled {
                throw UploadError(.interrupted, "the request to \(target.displayURL) was interrupted")
            }
            throw target.failure(error)
        case nil:
            throw UploadError(.interrupted, "the request to \(target.displayURL) was interrupted")
        }
    }

    private func answer(
        _ request: HTTPClientRequest, _ received: LastReceived
    ) async throws -> ServerResponse {
        let response = try await client.execute(request, deadline: .distantFuture)
        received.touch()
        var kept = Data()
        var count = 0
        do {
            for try await chunk in response.body {
                received.touch()
                count += chunk.readableBytes
                kept += Data(chunk.readableBytesView.prefix(ServerResponse.bodyBytesMaximum - kept.count))
                if count > Self.drainBytesMaximum { break }
            }
        } catch {
            // The status is the answer; a body that breaks off is kept as far as it came.
            try Task.checkCancellation()
        }
        return target.shown(
            ServerResponse(
                status: Int(response.status.code), headers: HTTPAnswer.chosen(response.headers),
                body: kept.isEmpty ? nil : kept))
    }

    /// Returns when nothing has moved for too long; nil when the task is cancelled.
    private func watch(
        _ body: HTTPBody?, _ received: LastReceived
    ) async -> UploadError? {
        while !Task.isCancelled {
            let isSending = body.map { !$0.isComplete } ?? false
            let seconds = isSending ? target.configuration.stallSeconds : target.configuration.firstByteSeconds
            let due = max(body?.lastMove ?? received.instant, received.instant) + .seconds(seconds)
            if due <= .now {
                return UploadError(
                    .networkFailure,
                    isSending
                        ? "\(target.displayURL) took no bytes for \(Int(seconds.rounded(.up))) s: check the network and the server"
                        : "\(target.displayURL) did not answer within \(Int(seconds.rounded(.up))) s: check the server")
            }
            try? await Task.sleep(until: due, clock: .continuous)
        }
        return nil
    }
}
