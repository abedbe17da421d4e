import Foundation
import Glibc
import Synchronization

/// A proxy between an HTTP/1.1 client and a real server, which applies a rule to each request, and counts. Bodies stream through it. It
/// serves as a reverse proxy (clients connect to it as if it were the server) and as a plain HTTP proxy (absolute-form targets).
public final class HTTPFaultProxy: Sendable {
    /// The proxy calls it on the connection's own thread, after the head of a request and before any of its body.
    public typealias Rule = @Sendable (Request) -> Action

    /// The port that clients connect to.
    public let port: Int
    public var url: String { "http://127.0.0.1:\(port)" }
    let upstream: Int?
    private let listener: CInt
    private let state: Mutex<State>

    private struct State {
        var rule: Rule
        var records: [Record] = []
        var connections = 0
        var sockets: Set<CInt> = []
        var isStopped = false
    }

    /// - Parameters:
    ///   - upstream: the port on loopback to which every request goes, whatever host it names. With nil each request goes to the
    ///     port of its absolute-form target, on loopback.
    ///   - rule: the rule; it forwards all requests if left out.
    public init(to upstream: Int?, rule: @escaping Rule = { _ in .forward }) throws {
        self.upstream = upstream
        listener = try LoopbackSocket.listen(port: 0)
        port = try LoopbackSocket.port(of: listener)
        state = Mutex(State(rule: rule))
        let listener = self.listener
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else {
                    // Only this thread closes it: otherwise another listener could get its number, and this thread would accept the
                    // connections of that one.
                    if errno == EINVAL { close(listener) }
                    return
                }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                guard let self else {
                    close(client)
                    continue
                }
                self.serve(client)
            }
        }
    }

    deinit { stop() }

    /// Closes all connections and accepts no more.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            for socket in state.sockets { shutdown(socket, CInt(SHUT_RDWR)) }
            return !state.isStopped
        }
        guard isFirst else { return }
        // Wakes accept, which then fails.
        shutdown(listener, CInt(SHUT_RDWR))
    }

    /// Cuts all open connections.
    public func cut() {
        state.withLock { state in
            for socket in state.sockets { shutdown(socket, CInt(SHUT_RDWR)) }
        }
    }

    /// Sets the rule for all later requests.
    public func setRule(_ rule: @escaping Rule) { state.withLock { $0.rule = rule } }

    /// Every request so far, in the order of their heads; requests that still run with the bytes that have passed until now.
    public var requests: [Record] { state.withLock(\.records) }

    public var connections: Int { state.withLock(\.connections) }

    /// Forgets the requests so far; numbers begin again at 1.
    public func forget() { state.withLock { $0.records = [] } }

    /// The number of complete sends of each part: PUTs with a `partNumber` whose whole body was passed on to the server.
    public var partsSent: [Int: Int] { partsSent { _ in true } }

    public func partsSent(where isCounted: (Record) -> Bool) -> [Int: Int] {
        var counts: [Int: Int] = [:]
        for record in requests where record.isBodyWhole && isCounted(record) {
            if let part = record.request.partNumber { counts[part, default: 0] += 1 }
        }
        return counts
    }

    /// The bytes of bodies that were passed on, complete or not.
    public var bodyBytesSent: Int { requests.reduce(0) { $0 + $1.bodyBytes } }

    private func serve(_ client: CInt) {
        let number = state.withLock { state -> Int? in
            guard !state.isStopped else { return nil }
            state.connections += 1
            state.sockets.insert(client)
            return state.connections
        }
        guard let number else {
            close(client)
            return
        }
        Thread.detachNewThread {
            var connection = HTTPFaultProxyConnection(self, SocketStream(client), number: number)
            connection.run()
            // Before the sockets are closed, because their numbers are reused at once.
            withExtendedLifetime(connection) {
                self.forget(client)
                if let server = connection.server { self.forget(server.socket) }
            }
        }
    }

    /// - Returns: the index of the request's record, and the action.
    func begin(_ head: HTTPHead, connection: Int) -> (index: Int, request: Request, action: Action) {
        let (request, rule) = state.withLock { state in
            let request = Request(head, number: state.records.count + 1, connection: connection)
            state.records.append(Record(request: request))
            return (request, state.rule)
        }
        return (request.number - 1, request, rule(request))
    }

    func note(_ index: Int, _ request: Request, _ change: (inout Record) -> Void) {
        state.withLock { state in
            // A request that was forgotten in the meantime has no record any more.
            guard state.records.indices.contains(index), state.records[index].request.id == request.id else { return }
            change(&state.records[index])
        }
    }

    /// - Returns: nil if no program listens, or the proxy was stopped.
    func connect(port: Int) -> SocketStream? {
        guard let socket = try? LoopbackSocket.connect(port: port) else { return nil }
        let isWanted = state.withLock { state in
            if !state.isStopped { state.sockets.insert(socket) }
            return !state.isStopped
        }
        let stream = SocketStream(socket)
        return isWanted ? stream : nil
    }

    func forget(_ socket: CInt) { _ = state.withLock { $0.sockets.remove(socket) } }
}
