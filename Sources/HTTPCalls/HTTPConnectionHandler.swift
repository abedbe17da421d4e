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
    /// While the call's body is sent from a file.
    private var sending: HTTPFileSending?
    /// Whether the head of the answer has come.
    private var isAnswered = false
    private var isKept = false
    private var isWritten = false
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
        hasRested = callCount > 1 && lastEnd.duration(to: .now) >= HTTPConnections.restMinimum
        guard let context, context.channel.isActive else { return fail(HTTPClientError.remoteConnectionClosed) }
        guard call.begin(over: context.channel) else {
            letGo()
            return changed(context.channel, true)
        }
        isAnswered = false
        isKept = false
        isWritten = false
        // NIO refuses an invalid head while it is written.
        context.write(wrapOutboundOut(.head(call.head))).assumeIsolated().whenFailure { error in
            if self.call === call { self.fail(error) }
            context.close(promise: nil)
        }
        guard self.call === call else { return }
        switch call.body {
        case .bytes(let bytes):
            if bytes.readableBytes > 0 { context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil) }
            writeEnd(of: call, context)
        case .file(let body):
            do throws(UploadError) {
                let sending = try HTTPFileSending(body)
                self.sending = sending
                checkLength(of: sending, context)
                send(sending, of: call, context)
            } catch {
                giveUp(error, context)
            }
        }
    }

    private func writeEnd(of call: HTTPCall, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenSuccess {
            call.noteSent()
            self.isWritten = true
        }
    }

    /// Writes as many pieces of the file as the connection should have at once.
    private func send(_ sending: HTTPFileSending, of call: HTTPCall, _ context: ChannelHandlerContext) {
        while self.sending === sending, let piece = sending.next() {
            // Made before the write, so that a failure is told before the connection closes.
            let settled = context.eventLoop.makePromise(of: Void.self)
            settled.futureResult.assumeIsolated().whenComplete {
                self.settle(piece, $0, sending, of: call, context)
            }
            context.writeAndFlush(wrapOutboundOut(.body(.fileRegion(piece))), promise: settled)
        }
        if self.sending === sending, sending.takeEnd() { writeEnd(of: call, context) }
    }

    /// Checks every second, until the system has the whole file, that it is still as long as the request has announced.
    private func checkLength(of sending: HTTPFileSending, _ context: ChannelHandlerContext) {
        guard self.sending === sending, !sending.isTaken else { return }
        do {
            try sending.checkLength()
            context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
                self.checkLength(of: sending, context)
            }
        } catch {
            giveUp(error, context)
        }
    }

    private func settle(
        _ piece: FileRegion, _ result: Result<Void, any Error>, _ sending: HTTPFileSending, of call: HTTPCall,
        _ context: ChannelHandlerContext
    ) {
        switch result {
        case .success:
            sending.settle(taking: piece.readableBytes)
            call.noteMove()
            send(sending, of: call, context)
        case .failure(let error):
            sending.settle(taking: nil)
            guard self.sending === sending else { return }
            if sending.refuses(after: error) { return giveUp(error, context) }
            sending.end()
            self.sending = nil
            // The connection closes, and says less of the reason.
            if error is IOError { problem = problem ?? error }
        }
    }

    /// Ends a call whose file cannot be sent.
    private func giveUp(_ error: any Error, _ context: ChannelHandlerContext) {
        call?.end(.failure(error))
        letGo()
        context.close(promise: nil)
    }

    /// The call is over.
    private func letGo() {
        call = nil
        sending?.end()
        sending = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let call else { return }
        switch unwrapInboundIn(data) {
        // An interim answer: a sign of life.
        case .head(let head) where (100..<200).contains(head.status.code): call.noteMove()
        case .head(let head):
            isKept = head.isKeepAlive
            isAnswered = true
            call.noteAnswer(head)
        case .body(let part):
            if !call.noteBody(part) {
                finish(isComplete: false)
                context.close(promise: nil)
            }
        case .end:
            lastEnd = .now
            // After an answer that came before the whole request was sent, the rest of the request may still be in the connection.
            guard isKept, isWritten else {
                // The answer is complete: it is reported before the connection closes, because closing ends a call without an answer.
                finish(isComplete: true)
                return context.close(promise: nil)
            }
            // The connection becomes free before the answer is reported, because the next call may follow at once.
            changed(context.channel, true)
            finish(isComplete: true)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        changed(context.channel, false)
        // The status still counts as an answer; a body that breaks off is kept as far as it came.
        finish(isComplete: false)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Before the request is written, the parser can only have failed at the request: no answer has come.
        let error = error is HTTPParserError && !isWritten ? HTTPClientError.invalidHeaderFieldValues([]) : error
        problem = problem ?? error
        if !isAnswered { fail(error) }
        context.close(promise: nil)
    }

    private func finish(isComplete: Bool) {
        guard isAnswered else { return fail(HTTPClientError.remoteConnectionClosed) }
        call?.finish(isComplete: isComplete)
        letGo()
        isAnswered = false
    }

    /// Ends the call without an answer. If it was not the connection's first call, the server may have closed before it saw this call.
    private func fail(_ error: any Error) {
        guard let call else { return }
        letGo()
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
