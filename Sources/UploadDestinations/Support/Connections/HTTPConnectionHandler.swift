import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Uploads

/// The end of a connection's pipeline. Used on its event loop alone.
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
    /// What went wrong first, which says more than that the connection is closed then.
    private var problem: (any Error)?
    /// Told when another call may follow, and when none can.
    private let changed: (_ channel: any Channel, _ isFree: Bool) -> Void
    /// Given a call that another connection is needed for: the server closed this one as it came.
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
        // A head that may not be sent is refused as it is written.
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
        // On the way to an answer: a sign of life.
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
            // What came before all was sent leaves a connection in which the rest may still stand.
            guard isKept, isWritten else {
                // The answer has ended: it is told before the closing, which ends what has not.
                finish()
                return context.close(promise: nil)
            }
            // Free before the answer is told, for the next call may follow at once.
            changed(context.channel, true)
            finish()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        changed(context.channel, false)
        // The status is an answer all the same; a body that breaks off is kept as far as it came.
        reply?.isWhole = false
        finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Of what was to be sent, as long as nothing was: an answer has not come then.
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

    /// Without an answer. Where it was not the connection's first call, the server may have closed before it saw this one.
    private func fail(_ error: any Error) {
        guard let call else { return }
        self.call = nil
        // What is wrong with the request is no matter of the connection. What is no HTTP may belong to the answer before: some servers send
        // a body behind their answer to HEAD.
        guard callCount > 1, !call.isOver, !(problem is HTTPClientError) else {
            return call.end(.failure(problem ?? error))
        }
        if call.mayBeRepeated { return lost(call) }
        let cause = problem ?? error
        call.end(.failure(hasRested ? IdleConnectionClosed(cause) : cause))
    }
}
