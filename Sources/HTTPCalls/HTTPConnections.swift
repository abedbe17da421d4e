// Why this target is our own code: AsyncHTTPClient, which carries proxies, redirects and streams here, changed threads six times for a small
// request; over these connections a request is one write, and its answer one change of threads. Measured with small files to S3
// (`Performance.md`, "What was tried"): the worker took .355 instead of .44 CPU ms a job and did 3,085 instead of 2,610 jobs/s alone; the
// whole pool did 1,650 instead of 1,445 jobs/s. And a connection sends a part of a large file from the page cache, for 60 % of the processor
// time. Remove the target when AsyncHTTPClient reaches these figures.

import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
package import NIOSSL
import Synchronization
import Uploads

/// Kept HTTP/1.1 connections. A small request is written at once, and its answer comes back at once, with one change of threads each way;
/// a large body is sent by the kernel, from a file. AsyncHTTPClient handles proxies, redirects and streams.
public final class HTTPConnections: Sendable {
    public static let shared = HTTPConnections()
    /// The most bytes of a body that is sent from memory: they lie there at once, and a slow connection shows no progress in between.
    package static let bodyBytesMaximum = 256 << 10
    /// A server that closes idle connections waits for longer than this.
    package static let restMinimum = Duration.milliseconds(500)

    /// Connections that can take each other's calls.
    private struct Kind: Hashable {
        let origin: HTTPOrigin
        /// Whether they send bodies from files. Their event loops wait for the disk where a file has left the page cache; no other
        /// connection waits with them.
        let sendsFiles: Bool

        var loop: any EventLoop { (sendsFiles ? Self.loopsOfFiles : MultiThreadedEventLoopGroup.singleton).next() }

        private static let loopsOfFiles = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
    }

    private struct State {
        /// Idle connections; the last used one is the last.
        var idle: [Kind: [HTTPConnection]] = [:]
        var isSweeping = false
    }

    private let state = Mutex(State())
    private let connectSeconds: TimeInterval
    private let idleLimit: Duration
    private let tls: Result<NIOSSLContext, any Error>

    private static let usualTLS = Result { try NIOSSLContext(configuration: .makeClientConfiguration()) }

    /// - Parameter connectSeconds: the longest that connecting may take; 10 by default.
    public convenience init(connectSeconds: TimeInterval = 10) {
        self.init(connectSeconds: connectSeconds, tls: Self.usualTLS)
    }

    /// - Parameter idleLimit: the time after which an unused connection is closed.
    package init(
        connectSeconds: TimeInterval = 10, idleLimit: Duration = .seconds(50), tls: Result<NIOSSLContext, any Error>
    ) {
        self.connectSeconds = connectSeconds
        self.idleLimit = idleLimit
        self.tls = tls
    }

    deinit {
        for connection in state.withLock({ $0.idle }).values.joined() { connection.channel.close(promise: nil) }
    }

    /// Sends a call; the call's outcome reports the answer.
    package func start(_ call: HTTPCall, to origin: HTTPOrigin) {
        let kind = Kind(origin: origin, sendsFiles: call.isFromFile)
        if let connection = takeIdle(kind) { connection.start(call) } else { startAnew(call, kind) }
    }

    private func startAnew(_ call: HTTPCall, _ kind: Kind) {
        connect(kind).whenComplete { result in
            switch result {
            case .success(let connection): connection.start(call)
            case .failure(let error): call.end(.failure(error))
            }
        }
    }

    private func connect(_ kind: Kind) -> EventLoopFuture<HTTPConnection> {
        let (origin, loop) = (kind.origin, kind.loop)
        // A channel that has failed meanwhile, in the TLS handshake say, has lost its handlers; but its own handler knows why.
        let handlers = NIOLoopBoundBox.makeBoxSendingValue(
            [ObjectIdentifier: HTTPConnectionHandler](), eventLoop: loop)
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.nanoseconds(Int64(saturating: connectSeconds * 1e9)))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { [weak self, tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if origin.isSecure { try pipeline.addHandler(try Self.handler(of: try tls.get(), for: origin)) }
                    try pipeline.addHandlers(
                        HTTPRequestEncoder(),
                        ByteToMessageHandler(HTTPResponseDecoder(informationalResponseStrategy: .forward)),
                        NIOHTTPRequestHeadersValidator())
                    let handler = HTTPConnectionHandler { channel, isFree in
                        guard let self else { return channel.close(promise: nil) }
                        if isFree { self.keep(channel, kind) } else { self.forget(channel, kind) }
                    } lost: { call in
                        guard let self else { return call.end(.failure(HTTPClientError.remoteConnectionClosed)) }
                        self.startAnew(call, kind)
                    }
                    handlers.value[ObjectIdentifier(channel)] = handler
                    try pipeline.addHandler(handler)
                }
            }
        return bootstrap.connect(host: origin.address ?? origin.host, port: origin.port)
            .flatMapThrowing { channel in
                guard let handler = handlers.value[ObjectIdentifier(channel)] else {
                    throw HTTPClientError.remoteConnectionClosed
                }
                return HTTPConnection(channel, handler)
            }
    }

    private static func handler(of context: NIOSSLContext, for origin: HTTPOrigin) throws -> NIOSSLClientHandler {
        do {
            return try NIOSSLClientHandler(context: context, serverHostname: origin.host)
        } catch let error as NIOSSLExtraError where error == .cannotUseIPAddressInSNI {
            return try NIOSSLClientHandler(context: context, serverHostname: nil)
        }
    }

    // MARK: Idle connections

    var idleCount: Int { state.withLock { $0.idle.values.reduce(0) { $0 + $1.count } } }

    private func takeIdle(_ kind: Kind) -> HTTPConnection? {
        state.withLock { state in
            // A connection that the server has closed may report that a moment later.
            while let connection = state.idle[kind]?.popLast() {
                if connection.channel.isActive { return connection }
            }
            return nil
        }
    }

    /// Must run on the channel's event loop.
    private func keep(_ channel: any Channel, _ kind: Kind) {
        guard let connection = try? HTTPConnection(channel) else { return channel.close(promise: nil) }
        let isSweeping = state.withLock { state in
            state.idle[kind, default: []].append(connection)
            defer { state.isSweeping = true }
            return state.isSweeping
        }
        if !isSweeping { sweepLater(on: channel.eventLoop) }
    }

    private func forget(_ channel: any Channel, _ kind: Kind) {
        state.withLock { state in
            state.idle[kind]?.removeAll { $0.channel === channel }
            if state.idle[kind]?.isEmpty == true { state.idle[kind] = nil }
        }
    }

    private func sweepLater(on loop: any EventLoop) {
        loop.scheduleTask(in: .nanoseconds(Int64(idleLimit / .nanoseconds(1)))) { [weak self] in
            self?.sweep(on: loop)
        }
    }

    private func sweep(on loop: any EventLoop) {
        let limit = ContinuousClock.now - idleLimit
        // Removed before they are closed, so that no call gets a connection that is about to close.
        let (old, isSweeping) = state.withLock { state in
            let old = state.idle.values.joined().filter { $0.idleSince < limit }
            state.idle = state.idle.mapValues { $0.filter { $0.idleSince >= limit } }.filter { !$0.value.isEmpty }
            state.isSweeping = !state.idle.isEmpty
            return (old, state.isSweeping)
        }
        for connection in old { connection.channel.close(promise: nil) }
        if isSweeping { sweepLater(on: loop) }
    }
}
