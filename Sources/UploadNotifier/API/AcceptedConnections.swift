public import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// A server's connections from when they are accepted until they are served.
///
/// A connection that is accepted while the server ends is never served, and NIO traps when such a connection is
/// released (https://github.com/apple/swift-nio/issues/2637). This class keeps these connections, and closes them
/// properly.
public final class AcceptedConnections: Sendable {
    private struct State {
        /// How to close each connection that is accepted and not served yet.
        var waiting: [ObjectIdentifier: @Sendable () async -> Void] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    public init() {}

    /// A server of HTTP/1.1 whose connections this object keeps.
    public func http1(_ configuration: HTTP1Channel.Configuration) -> HTTPServerBuilder {
        HTTPServerBuilder { [self] responder in
            AcceptingChannel(base: HTTP1Channel(responder: responder, configuration: configuration), accepted: self)
        }
    }

    /// Closes the connections that will never be served, also those that are accepted later. Call it when the server
    /// has ended.
    public func end() {
        let left = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for close in left { Task { await close() } }
    }

    fileprivate func keep(_ channel: any Channel, close: @escaping @Sendable () async -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.waiting[ObjectIdentifier(channel)] = close }
            return state.isOver
        }
        if isOver { Task { await close() } }
    }

    fileprivate func serve(_ channel: any Channel) {
        state.withLock { _ = $0.waiting.removeValue(forKey: ObjectIdentifier(channel)) }
    }
}

private struct AcceptingChannel: ServerChildChannel {
    let base: HTTP1Channel
    let accepted: AcceptedConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).map { value in
            accepted.keep(channel) {
                try? await channel.close()
                await base.handle(value: value, logger: logger)
            }
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        accepted.serve(value.channel)
        await base.handle(value: value, logger: logger)
    }
}
