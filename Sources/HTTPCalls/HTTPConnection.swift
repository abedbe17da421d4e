import NIOCore
import NIOHTTP1

/// A connection to one origin that carries one call after the other.
struct HTTPConnection: Sendable {
    let channel: any Channel
    /// When its last call ended.
    var idleSince = ContinuousClock.now
    private let handler: NIOLoopBound<HTTPConnectionHandler>

    /// Must run on the channel's event loop.
    init(_ channel: any Channel) throws {
        self.init(channel, try channel.pipeline.syncOperations.handler(type: HTTPConnectionHandler.self))
    }

    /// Must run on the channel's event loop.
    init(_ channel: any Channel, _ handler: HTTPConnectionHandler) {
        self.channel = channel
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    }

    func start(_ call: HTTPCall) {
        channel.eventLoop.execute { [handler] in handler.value.start(call) }
    }
}
