import Glibc

/// A client's connection to an `HTTPFaultProxy`, on a thread of its own, with its connection to the server.
struct HTTPFaultProxyConnection {
    private let proxy: HTTPFaultProxy
    private let client: SocketStream
    private let number: Int
    private(set) var server: SocketStream?
    private var serverPort = 0
    private var tunnelPort: Int?

    init(_ proxy: HTTPFaultProxy, _ client: SocketStream, number: Int) {
        self.proxy = proxy
        self.client = client
        self.number = number
    }

    mutating func run() { while serveRequest() {} }

    /// - Returns: whether another request may follow.
    private mutating func serveRequest() -> Bool {
        if let server, client.hasBuffered ? server.isReadable : SocketStream.wait(for: [client, server])[1] {
            // The client must also see bytes that the server sends unasked, such as a body after an answer to HEAD, and the
            // end of the stream.
            var isTaken = false
            return server.read(upTo: .max) { isTaken = client.write($0) } > 0 && isTaken
        }
        guard let head = client.readHead() else { return false }
        let (index, request, action) = proxy.begin(head, connection: number)
        let exchange = HTTPFaultProxyExchange(
            proxy: proxy, index: index, request: request, head: head, client: client)
        switch action {
        case .cut:
            client.reset()
            return false
        case .answer(let status, let headers, let body, let drains):
            return exchange.answer(status, headers, body, drains: drains)
        default:
            if request.method == "CONNECT" { return openTunnel(head, exchange) }
        }
        guard let server = connected(head) else {
            client.reset()
            return false
        }
        switch exchange.sendRequest(to: server, action) {
        case .whole, .answeredEarly: break
        case .cut:
            server.reset()
            client.reset()
            return false
        case .stalled:
            client.waitForHangUp()
            return false
        case .broken:
            client.reset()
            return false
        }
        return exchange.passAnswer(from: server, action) && !head.isLast
    }

    /// Handles requests in a tunnel like all others, unless they are TLS.
    /// - Returns: whether requests may follow.
    private mutating func openTunnel(_ head: HTTPHead, _ exchange: HTTPFaultProxyExchange) -> Bool {
        tunnelPort = head.words[1].split(separator: ":").last.flatMap { Int($0) }
        guard client.write("HTTP/1.1 200 Connection established\r\n\r\n") else { return false }
        exchange.noteTunnel()
        let isTLS = client.peek(1).utf8.first == 22
        guard isTLS else { return true }
        if let server = connected(head) { client.join(with: server) }
        return false
    }

    private mutating func connected(_ head: HTTPHead) -> SocketStream? {
        guard let port = proxy.upstream ?? tunnelPort ?? head.targetPort else { return nil }
        if let server, serverPort == port { return server }
        if let server { proxy.forget(server.socket) }
        server = proxy.connect(port: port)
        serverPort = port
        return server
    }
}
