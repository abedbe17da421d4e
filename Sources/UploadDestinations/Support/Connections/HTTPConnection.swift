import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A connection to one origin, for one call after the other.
struct HTTPConnection: Sendable {
    let channel: any Channel
    /// Since when nobody has used it.
    var idleSince = ContinuousClock.now
    private let handler: NIOLoopBound<HTTPConnectionHandler>

    /// On the channel's event loop.
    init(_ channel: any Channel) throws {
        self.channel = channel
        let handler = try channel.pipeline.syncOperations.handler(type: HTTPConnectionHandler.self)
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    }

    func start(_ call: HTTPCall) {
        channel.eventLoop.execute { [handler] in handler.value.start(call) }
    }
}

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
    /// Told when another call may follow, and when none can.
    private let changed: (_ channel: any Channel, _ isFree: Bool) -> Void

    init(changed: @escaping (_ channel: any Channel, _ isFree: Bool) -> Void) { self.changed = changed }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func start(_ call: HTTPCall) {
        guard let context, context.channel.isActive else {
            return call.end(.failure(HTTPClientError.remoteConnectionClosed))
        }
        guard call.begin(over: context.channel) else { return changed(context.channel, true) }
        self.call = call
        reply = nil
        isKept = false
        isWritten = false
        bodyBytes = 0
        // A head that may not be sent is refused as it is written.
        context.write(wrapOutboundOut(.head(call.head))).assumeIsolated().whenFailure { error in
            call.end(.failure(error))
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
        call.noteReceived()
        switch unwrapInboundIn(data) {
        case .head(let head):
            isKept = head.isKeepAlive
            reply = HTTPReply(status: Int(head.status.code), headers: head.headers, body: Data(), isWhole: true)
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
            // What came before all was sent leaves a connection in which the rest may still stand. Free before the answer is told,
            // for the next call may follow at once.
            if isKept, isWritten { changed(context.channel, true) } else { context.close(promise: nil) }
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
        if reply == nil { call?.end(.failure(error)) }
        context.close(promise: nil)
    }

    private func finish() {
        call?.end(reply.map { .success($0) } ?? .failure(HTTPClientError.remoteConnectionClosed))
        call = nil
        reply = nil
    }
}
