import Foundation
import HTTPCalls
import NIOCore
import NIOHTTP1
import Uploads

extension HTTPExchange {
    /// Sends a request over a kept connection: one with a small body, or one from a file.
    /// - Throws: the errors of `run(_:body:)`.
    func run(
        _ head: HTTPRequestHead, body: HTTPCall.Body, over connections: HTTPConnections, to origin: HTTPOrigin
    ) async throws(UploadError) -> HTTPReply {
        let span = RequestSpan(head.method, displayURL)
        return try await span.ends { () async throws(UploadError) in
            try await sent(head, span.traceParent, body: body, over: connections, to: origin)
        }
    }

    private func sent(
        _ head: HTTPRequestHead, _ trace: TraceParent?, body: HTTPCall.Body, over connections: HTTPConnections,
        to origin: HTTPOrigin
    ) async throws(UploadError) -> HTTPReply {
        var head = head
        if let trace { head.headers.replaceOrAdd(name: TraceParent.header, value: trace.description) }
        if body.size > 0 || head.method == .PUT || head.method == .POST {
            head.headers.replaceOrAdd(name: "content-length", value: String(body.size))
        }
        let limits = HTTPCall.Limits(
            keptBytes: keptBytesMaximum, readBytes: Self.drainBytesMaximum,
            bytesPerSecondMinimum: times.bytesPerSecondMinimum)
        let call = HTTPCall(
            head, body: body, limits, mayBeRepeated: Self.mayBeRepeated(head.method, head.headers))
        let watch = StallDetector.shared.add {
            let (last, isSent) = call.movement
            let stall =
                if isSent, let restSeconds, let answeredAt = call.answeredAt {
                    overdue(restSeconds, from: answeredAt, last: last)
                } else if call.isTooSlow {
                    tooSlow
                } else {
                    self.stall(
                        isSending: !isSent, since: last, bodyBytes: call.answeredAt == nil ? body.size : 0)
                }
            guard let stall else { return false }
            call.giveUp(stall)
            return true
        }
        defer { StallDetector.shared.remove(watch) }
        let outcome = await withTaskCancellationHandler {
            connections.start(call, to: origin)
            return await call.outcome()
        } onCancel: {
            call.giveUp(CancellationError())
        }
        switch outcome {
        case .success(let answer):
            answer.headers.tellTime()
            return HTTPReply(
                status: answer.status, headers: answer.headers, body: answer.body, isWhole: answer.isWhole)
        case .failure(let error): throw failure(error)
        }
    }

    /// The error for anything that the client or the network threw.
    func failure(_ error: any Error) -> UploadError {
        if let error = error as? UploadError { return error }
        if Task.isCancelled { return UploadError(.interrupted, "the request to \(displayURL) was interrupted") }
        return UploadError(connection: error, to: displayURL)
    }
}
