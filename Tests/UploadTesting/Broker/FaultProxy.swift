import Glibc
import Synchronization

/// A TCP proxy on loopback that simulates network faults: it cuts a connection, at once or after so many bytes, stalls it, refuses it
/// or delays it.
public final class FaultProxy: Sendable {
    public enum Direction: Sendable, CaseIterable {
        case toBroker
        case toClient
    }

    struct Settings {
        var refuses = false
        var isStalled = false
        var holdsAnswers = false
        var delay: Duration = .zero
        /// The bytes that may still pass before all connections are cut, counted in both directions unless `counted`
        /// names one.
        var bytesLeft: Int?
        var counted: Direction?
        var cutRequests = 0
        var isStopped = false
        var bytesToBroker = 0
        var bytesToClient = 0
        var connections = 0
        /// The longest chain of round trips that led to the bytes that one side has received.
        var seenByClient = 0
        var seenByBroker = 0
        /// The bytes that the proxy looks for in the clients' bytes, and the round trips before each was sent for the first time.
        var landmarks: [[UInt8]: Int?] = [:]

        func holds(_ direction: Direction) -> Bool { holdsAnswers && direction == .toClient }
    }

    /// The port that clients connect to.
    public let port: Int
    /// The proxy's URL for the user guest and the default virtual host.
    public var url: String { "amqp://guest:guest@127.0.0.1:\(port)/" }
    private let worker: FaultProxyWorker

    public init(to brokerPort: Int) throws {
        let listener = try LoopbackSocket.listen(port: 0)
        port = try LoopbackSocket.port(of: listener)
        worker = try FaultProxyWorker(listener: listener, brokerPort: brokerPort)
        worker.start()
    }

    deinit { stop() }

    /// Closes all open connections.
    public func cut() { change { $0.cutRequests += 1 } }

    /// Lets exactly so many bytes pass, then cuts all connections. Later connections are served as usual.
    public func cut(afterBytes count: Int, _ direction: Direction? = nil) {
        change {
            $0.bytesLeft = count
            $0.counted = direction
        }
    }

    /// While stalled, connections stay open (and new ones are accepted) but nothing passes.
    public func stall(_ isOn: Bool = true) { change { $0.isStalled = isOn } }

    /// While held, the broker's bytes wait in the proxy. A client that still sends the second of two requests did not wait for the
    /// answer to the first, however slow the machine is.
    public func holdAnswers(_ isOn: Bool = true) { change { $0.holdsAnswers = isOn } }

    /// While refusing, new connections are closed at once.
    public func refuse(_ isOn: Bool = true) { change { $0.refuses = isOn } }

    /// Delays all bytes by `delay`, in both directions.
    public func delay(_ delay: Duration) { change { $0.delay = delay } }

    public func stop() { change { $0.isStopped = true } }

    /// The bytes that have passed, over all connections.
    public func bytes(_ direction: Direction) -> Int {
        worker.settings.withLock { direction == .toBroker ? $0.bytesToBroker : $0.bytesToClient }
    }

    /// The number of successive round trips so far: connecting is one, and so is each answer that the client waited for before it sent its
    /// next bytes, on the same or another connection. Set a ``delay(_:)`` that is long compared with the processing time of client and
    /// broker; otherwise bytes that are sent side by side count as successive.
    public var roundTrips: Int { worker.settings.withLock(\.seenByClient) }

    /// Looks for these bytes in all that clients send from now on.
    public func look(for landmark: [UInt8]) { change { $0.landmarks[landmark] = .some(nil) } }

    /// The number of round trips before a client first sent these bytes, which ``look(for:)`` named before; nil while no client
    /// has. Unlike ``roundTrips`` it does not grow while a test is slow to ask.
    public func roundTrips(before landmark: [UInt8]) -> Int? {
        worker.settings.withLock { $0.landmarks[landmark].flatMap { $0 } }
    }

    /// The number of connections that were accepted and not refused.
    public var connections: Int { worker.settings.withLock(\.connections) }

    private func change(_ change: (inout sending Settings) -> Void) {
        worker.settings.withLock { change(&$0) }
        worker.wake()
    }
}
