import Foundation
import Hummingbird
public import NIOCore
import NIOHTTP1
import Uploads

/// Gives a problem as the body to the answer for a request that is no HTTP or has too large headers. Without this
/// handler the server sends an empty answer and closes the connection before any route sees the request.
///
/// When it is added to a channel, it adds the handler that does this directly behind the decoder.
public final class BrokenRequestAnswer: ChannelInboundHandler, RemovableChannelHandler {
    public typealias InboundIn = Any

    public init() {}

    public func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return }
        try? pipeline.addHandler(ProblemWriter(), position: .after(decoder))
    }

    /// The answer to a request that the parser could not read.
    static func problem(of error: HTTPParserError) -> APIProblem {
        guard error == .headerOverflow else { return .invalid("this is no HTTP/1.1 request") }
        return APIProblem(
            .headersTooLarge,
            "the headers of a request have at most \(NotifierAPI.headerBytesMaximum) bytes in 100 fields; send less")
    }
}

private final class ProblemWriter: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var problem: APIProblem?

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        problem = (error as? HTTPParserError).map(BrokenRequestAnswer.problem)
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // An answer with a body or another status belongs to an earlier request.
        guard let problem, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headers.first(name: "Content-Length") == "0", let body = try? WireJSON.encode(problem.body)
        else { return context.write(data, promise: promise) }
        self.problem = nil
        head.status = HTTPResponseStatus(statusCode: problem.status.code)
        head.headers.replaceOrAdd(name: "Content-Length", value: String(body.count))
        head.headers.add(name: "Content-Type", value: APIProblem.contentType)
        head.headers.add(name: "Cache-Control", value: "no-store")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: promise)
    }
}
