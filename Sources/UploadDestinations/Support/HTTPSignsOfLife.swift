import HTTPCalls
import NIOCore
import NIOHTTP1
import Synchronization

/// Facts about the connection that carries an exchange.
final class HTTPCarrier: Sendable {
    private enum State {
        /// The request was not given to a connection.
        case none
        case new
        /// The connection carried another exchange, which ended this long before.
        case reused(rest: Duration)
    }

    private let state = Mutex(State.none)

    /// Whether the server may have closed the connection before it saw the request: the connection has carried another exchange before,
    /// or it closed when this one was to begin.
    var mayBeStale: Bool { state.withLock { if case .new = $0 { false } else { true } } }
    /// Whether no byte of the request was sent.
    var isUnused: Bool { state.withLock { if case .none = $0 { true } else { false } } }
    /// Whether the connection was idle for a while before this exchange.
    var hasRested: Bool {
        guard case .reused(let rest) = state.withLock({ $0 }) else { return false }
        return rest >= HTTPConnections.restMinimum
    }

    /// - Parameter rest: the time since the exchange before; nil for the first one.
    fileprivate func note(rest: Duration?) { state.withLock { $0 = rest.map { .reused(rest: $0) } ?? .new } }
}

/// Reports each 1xx answer (RFC 9110, section 15.2) to its exchange. The client library drops these answers without a report; a server
/// that sends `102 Processing` every few seconds is working, not silent.
///
/// The library does not say which connection carries which request. So the request carries a header with the number of its exchange,
/// which this handler removes.
final class HTTPSignsOfLife: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private static let header = "longshore-exchange"
    private typealias Listener = (live: @Sendable () -> Void, carrier: HTTPCarrier, target: String?)

    private static let exchanges = Mutex<(last: UInt64, listeners: [String: Listener])>((0, [:]))

    private var exchange: String?
    /// When the last answer ended.
    private var lastEnd: ContinuousClock.Instant?

    /// - Parameters:
    ///   - listener: called for each 1xx answer while `body` runs.
    ///   - carrier: records the connection.
    ///   - target: the target in the request line, if it is not the path of the request's URL.
    ///   - body: runs the request; its argument is the header to add to the request.
    static func listening<Reply>(
        _ listener: @escaping @Sendable () -> Void, _ carrier: HTTPCarrier, target: String? = nil,
        _ body: ((name: String, value: String)) async throws -> Reply
    ) async throws -> Reply {
        let id = exchanges.withLock { exchanges in
            exchanges.last += 1
            let id = String(exchanges.last)
            exchanges.listeners[id] = (listener, carrier, target)
            return id
        }
        defer { exchanges.withLock { $0.listeners[id] = nil } }
        return try await body((header, id))
    }

    /// Adds the handler to a client's pipeline, right after the decoder of answers.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(HTTPSignsOfLife(), position: .after(decoder))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        exchange = head.headers.first(name: Self.header)
        if let exchange {
            let listener = Self.exchanges.withLock { $0.listeners[exchange] }
            listener?.carrier.note(rest: lastEnd.map { .now - $0 })
            if let target = listener?.target { head.uri = target }
        }
        head.headers.remove(name: Self.header)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), (100..<200).contains(head.status.code), let exchange {
            Self.exchanges.withLock { $0.listeners[exchange] }?.live()
        }
        if case .end = unwrapInboundIn(data) { lastEnd = .now }
        context.fireChannelRead(data)
    }
}
