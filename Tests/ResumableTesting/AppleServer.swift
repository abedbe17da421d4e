import Foundation
public import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload
import Synchronization

/// A server with the resumable uploads of swift-nio-extras (interop versions 3, 5 and 6), which keeps the uploaded files.
public final class AppleServer: ResumableServer {
    public let port: Int
    private let channel: any Channel
    /// One event loop: with several, it leaves requests unanswered that continue an upload of another loop's connection.
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let files: Files

    /// The files by their paths, and the number of times that each was stored.
    fileprivate final class Files: Sendable {
        let stored = Mutex<[String: [UInt8]]>([:])
        let heads = Mutex<[HTTPRequest]>([])
        let refused = Mutex<HTTPResponse.Status?>(nil)
    }

    /// - Parameter origin: the address that it puts into locations; empty for relative locations.
    public init(origin: String = "") async throws {
        let files = Files()
        let context = HTTPResumableUploadContext(origin: origin, path: "/files/uploads/")
        self.files = files
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(
                        HTTPResumableUploadHandler(context: context) { channel in
                            try? channel.pipeline.syncOperations.addHandler(Keeper(files))
                        })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    deinit {
        channel.close(promise: nil)
        group.shutdownGracefully { _ in }
    }

    public func stored(_ path: String) -> [UInt8]? { files.stored.withLock { $0[path] } }

    /// The requests with the whole files, as swift-nio-extras hands them to the program behind it.
    public var requests: [HTTPRequest] { files.heads.withLock { $0 } }

    /// Answers files with this status instead of storing them; nil stores them again.
    public func refuse(_ status: HTTPResponse.Status?) { files.refused.withLock { $0 = status } }

    /// The program behind swift-nio-extras: it gets one request with the whole file.
    private final class Keeper: ChannelInboundHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundOut = HTTPResponsePart

        private let files: Files
        private var path: String?
        private var bytes: [UInt8] = []

        init(_ files: Files) { self.files = files }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let request):
                guard [.put, .post].contains(request.method) else { return answer(.notImplemented, context) }
                path = request.path
                files.heads.withLock { $0.append(request) }
            case .body(let buffer): bytes += buffer.readableBytesView
            case .end:
                guard let path else { return }
                if let status = files.refused.withLock({ $0 }) { return answer(status, context) }
                let key = String(path.dropFirst("/files/".count)).removingPercentEncoding ?? path
                files.stored.withLock { $0[key] = bytes }
                answer(.created, context)
            }
        }

        private func answer(_ status: HTTPResponse.Status, _ context: ChannelHandlerContext) {
            let response = HTTPResponse(status: status, headerFields: [.contentLength: "0", .server: "apple"])
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
