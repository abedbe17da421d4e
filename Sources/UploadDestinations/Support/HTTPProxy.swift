public import AsyncHTTPClient
import Foundation
import HTTPCalls
import NIOCore
import NIOHTTP1
import Synchronization
import Uploads

/// An HTTP proxy through which a client's requests go.
///
/// AsyncHTTPClient supports only CONNECT, which most proxies allow only for TLS. So a request to an `http` URL goes to the proxy itself,
/// by another client, in absolute form (RFC 9112, section 3.2.2).
public struct HTTPProxy: Sendable {
    public let host: String
    public let port: Int
    /// User and password for Basic authentication.
    public let login: (user: String, password: String)?

    public init(host: String, port: Int, login: (user: String, password: String)? = nil) {
        self.host = host
        self.port = port
        self.login = login
    }

    /// The proxy as AsyncHTTPClient wants it.
    public var configuration: HTTPClient.Configuration.Proxy {
        .server(
            host: host, port: port,
            authorization: login.map { .basic(username: $0.user, password: $0.password) })
    }

    private var authorization: String? {
        login.map { "Basic \(Data("\($0.user):\($0.password)".utf8).base64EncodedString())" }
    }

    private var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    // MARK: Clients

    private typealias Route = (proxy: HTTPProxy, plain: HTTPClient)
    private static let routes = Mutex<[ObjectIdentifier: Route]>([:])

    /// - Parameter plain: a client without a proxy, for requests that go to the proxy itself.
    public static func set(_ proxy: HTTPProxy, before client: HTTPClient, plain: HTTPClient) {
        routes.withLock { $0[ObjectIdentifier(client)] = (proxy, plain) }
    }

    /// - Returns: the client without a proxy, which the caller may shut down.
    public static func forget(_ client: HTTPClient) -> HTTPClient? {
        routes.withLock { $0.removeValue(forKey: ObjectIdentifier(client)) }?.plain
    }

    /// Decides how a request is sent.
    /// - Returns: the client to use, the request for it, and the request's target where it is not the path of its URL.
    static func route(
        _ request: HTTPClientRequest, by client: HTTPClient
    ) -> (client: HTTPClient, request: HTTPClientRequest, target: String?) {
        guard let (proxy, plain) = routes.withLock({ $0[ObjectIdentifier(client)] }),
            let url = URLComponents(string: request.url), url.scheme?.lowercased() == "http",
            let host = url.encodedHost
        else { return (client, request, nil) }
        var target = url
        target.fragment = nil
        target.user = nil
        target.password = nil
        if target.percentEncodedPath.isEmpty { target.percentEncodedPath = "/" }
        var forwarded = request
        forwarded.url = "http://\(proxy.authority)/"
        if !forwarded.headers.contains(name: "host") {
            forwarded.headers.add(name: "host", value: url.port.map { "\(host):\($0)" } ?? host)
        }
        if let authorization = proxy.authorization {
            forwarded.headers.replaceOrAdd(name: "proxy-authorization", value: authorization)
        }
        return (plain, forwarded, target.string)
    }

    /// The proxy's own answer to a connection that it refuses. AsyncHTTPClient does not pass it on, so this method asks the proxy once more.
    /// - Returns: nil when no proxy refused the connection, or the proxy does not refuse it any more.
    static func refusal(_ error: any Error, of url: String, by client: HTTPClient) async -> UploadError? {
        guard let error = error as? HTTPClientError,
            [.invalidProxyResponse, .proxyAuthenticationRequired].contains(error),
            let proxy = routes.withLock({ $0[ObjectIdentifier(client)] })?.proxy, let url = URLComponents(string: url),
            let host = url.encodedHost, let origin = HTTPOrigin(scheme: "http", authority: proxy.authority)
        else { return nil }
        let place = "\(host):\(url.port ?? 443)"
        var headers: HTTPHeaders = ["host": place]
        if let authorization = proxy.authorization { headers.add(name: "proxy-authorization", value: authorization) }
        let exchange = HTTPExchange(client: client, times: HTTPTimes(), displayURL: "the proxy \(proxy.authority)")
        let head = HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: place, headers: headers)
        guard
            let reply = try? await exchange.run(head, body: .bytes(ByteBuffer()), over: HTTPConnections(), to: origin),
            !(200..<300).contains(reply.status)
        else { return nil }
        let said = "the proxy \(proxy.authority) answered \(reply.status) to CONNECT \(place)"
        guard reply.status == 407 else {
            return UploadError(
                .networkFailure, "\(said): look at the proxy and its rules", retry: .afterBackoff)
        }
        return UploadError(
            .misconfigured, "\(said): give user and password in the destination's proxy", retry: .afterBackoff)
    }
}
