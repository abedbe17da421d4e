import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Uploads

/// The last handler of a connection's pipeline. Runs only on its event loop.
final class HTTPConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private var context: ChannelHandlerContext?
    private var call: HTTPCall?
    private var reply: HTTPReply?
    private var isKept = false
    private var isWritten = false
    private var bodyBytes = 0
    private var callCount = 0
    private var lastEnd = ContinuousClock.now
    private var hasRested = false
    /// The first error. It explains more than the closing of the connection that follows.
    private var problem: (any Error)?
    /// Called when the connection is free for another call, and when it is closed.
    private let changed: (_ channel: any Channel, _ isFree: Bool) -> Void
    /// Called with a call that needs another connection, because the server closed this one at that moment.
    private let lost: (HTTPCall) -> Void

    init(
        changed: @escaping (_ channel: any Channel, _ isFree: Bool) -> Void, lost: @escaping (HTTPCall) -> Void
    ) {
        self.changed = changed
        self.lost = lost
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func start(_ call: HTTPCall) {
        self.call = call
        callCount += 1
        hasRested = callCount > 1 && lastEnd.duration(to: .now) >= HTTPCarrier.restMinimum
        guard let context, context.channel.isActive else { return fail(HTTPClientError.remoteConnectionClosed) }
        guard call.begin(over: context.channel) else {
            self.call = nil
            return changed(context.channel, true)
        }
        reply = nil
        isKept = false
        isWritten = false
        bodyBytes = 0
        // NIO refuses an invalid head while it is written.
        context.write(wrapOutboundOut(.head(call.head))).assumeIsolated().whenFailure { error in
            if self.call === call { self.fail(error) }
            context.close(promise: nil)
        }
        if call.body.readableBytes > 0 { context.write(wrapOutboundOut(.body(.byteBuffer(call.body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenSuccess {
            call.noteSent()
            self.isWritten = true
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let call else { return }
        let part = unwrapInboundIn(data)
        if case .body(let bytes) = part { call.noteReceived(bytes.readableBytes) } else { call.noteReceived() }
        switch part {
        // An interim answer: a sign of life.
        case .head(let head) where (100..<200).contains(head.status.code): break
        case .head(let head):
            isKept = head.isKeepAlive
            let reply = HTTPReply(status: Int(head.status.code), headers: head.headers, body: Data(), isWhole: true)
            call.noteReply(reply)
            head.headers.tellTime()
            self.reply = reply
        case .body(let part):
            bodyBytes += part.readableBytes
            let room = call.keptBytesMaximum - (reply?.body.count ?? 0)
            reply?.body += Data(part.readableBytesView.prefix(room))
            if part.readableBytes > room { reply?.isWhole = false }
            if bodyBytes > max(HTTPExchange.drainBytesMaximum, call.keptBytesMaximum) {
                finish()
                context.close(promise: nil)
            }
        case .end:
            lastEnd = .now
            // After an answer that came before the whole request was sent, the rest of the request may still be in the connection.
            guard isKept, isWritten else {
                // The answer is complete: it is reported before the connection closes, because closing ends a call without an answer.
                finish()
                return context.close(promise: nil)
            }
            // The connection becomes free before the answer is reported, because the next call may follow at once.
            changed(context.channel, true)
            finish()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        changed(context.channel, false)
        // The status still counts as an answer; a body that breaks off is kept as far as it came.
        reply?.isWhole = false
        finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Before the request is written, the parser can only have failed at the request: no answer has come.
        let error = error is HTTPParserError && !isWritten ? HTTPClientError.invalidHeaderFieldValues([]) : error
        problem = problem ?? error
        if reply == nil { fail(error) }
        context.close(promise: nil)
    }

    private func finish() {
        guard let reply else { return fail(HTTPClientError.remoteConnectionClosed) }
        call?.end(.success(reply))
        call = nil
        self.reply = nil
    }

    /// Ends the call without an answer. If it was not the connection's first call, the server may have closed before it saw this call.
    private func fail(_ error: any Error) {
        guard let call else { return }
        self.call = nil
        // An invalid request is not the connection's fault. Bytes that are not HTTP may belong to the previous answer: some servers send
        // a body after their answer to HEAD.
        guard callCount > 1, !call.isOver, !(problem is HTTPClientError) else {
            return call.end(.failure(problem ?? error))
        }
        if call.mayBeRepeated { return lost(call) }
        let cause = problem ?? error
        call.end(.failure(hasRested ? IdleConnectionClosed(cause) : cause))
    }
}
