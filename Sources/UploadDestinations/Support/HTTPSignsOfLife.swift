import NIOCore
import NIOHTTP1
import Synchronization

/// Tells an exchange of each answer of the kind 1xx (RFC 9110, section 15.2), which the client library takes in without a word: a server that
/// says `102 Processing` every few seconds is at work, not silent.
///
/// The library does not say which connection carries which request, so the request says it: by a header that this handler takes away.
final class HTTPSignsOfLife: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private static let header = "longshore-exchange"
    private static let exchanges = Mutex<(last: UInt64, listeners: [String: @Sendable () -> Void])>((0, [:]))

    private var exchange: String?

    /// - Parameter body: given the header for its request; while it runs, `listener` is called for each answer 1xx.
    static func listening<Reply>(
        _ listener: @escaping @Sendable () -> Void, _ body: ((name: String, value: String)) async throws -> Reply
    ) async throws -> Reply {
        let id = exchanges.withLock { exchanges in
            exchanges.last += 1
            let id = String(exchanges.last)
            exchanges.listeners[id] = listener
            return id
        }
        defer { exchanges.withLock { $0.listeners[id] = nil } }
        return try await body((header, id))
    }

    /// Where it belongs in a client's pipeline: right behind what makes answers of bytes.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(HTTPSignsOfLife(), position: .after(decoder))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        exchange = head.headers.first(name: Self.header)
        head.headers.remove(name: Self.header)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), (100..<200).contains(head.status.code), let exchange {
            Self.exchanges.withLock { $0.listeners[exchange] }?()
        }
        context.fireChannelRead(data)
    }
}
