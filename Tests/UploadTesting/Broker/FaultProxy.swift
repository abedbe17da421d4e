import Glibc
import Synchronization

/// A TCP proxy on loopback that can do to a connection what networks do: cut it, at once or after so many bytes, stall
/// it, refuse it, delay it.
public final class FaultProxy: Sendable {
    public enum Direction: Sendable, CaseIterable {
        case toBroker
        case toClient
    }

    struct Settings {
        var refuses = false
        var isStalled = false
        var delay: Duration = .zero
        /// How many more bytes may pass before everything is cut, counted in both directions unless one is named.
        var bytesLeft: Int?
        var counted: Direction?
        var cutRequests = 0
        var isStopped = false
        var bytesToBroker = 0
        var bytesToClient = 0
        var connections = 0
        /// The most round trips that led to what one side has received.
        var seenByClient = 0
        var seenByBroker = 0
        /// Bytes that are looked for in what clients send, and the round trips before each was sent for the first time.
        var landmarks: [[UInt8]: Int?] = [:]
    }

    /// Where clients connect to.
    public let port: Int
    /// As guest, on the default virtual host.
    public var url: String { "amqp://guest:guest@127.0.0.1:\(port)/" }
    private let worker: FaultProxyWorker

    public init(to brokerPort: Int) throws {
        let listener = try LoopbackSocket.listen(port: 0)
        port = try LoopbackSocket.port(of: listener)
        worker = try FaultProxyWorker(listener: listener, brokerPort: brokerPort)
        worker.start()
    }

    deinit { stop() }

    /// Closes all connections there are.
    public func cut() { change { $0.cutRequests += 1 } }

    /// Lets so many bytes pass, to the byte, then cuts everything. New connections are served as usual after that.
    public func cut(afterBytes count: Int, _ direction: Direction? = nil) {
        change {
            $0.bytesLeft = count
            $0.counted = direction
        }
    }

    /// While stalled, connections stay open (and new ones are accepted) but nothing passes.
    public func stall(_ isOn: Bool = true) { change { $0.isStalled = isOn } }

    /// While refusing, new connections are closed at once.
    public func refuse(_ isOn: Bool = true) { change { $0.refuses = isOn } }

    /// Holds everything back for so long, in both directions.
    public func delay(_ delay: Duration) { change { $0.delay = delay } }

    public func stop() { change { $0.isStopped = true } }

    /// What has passed, over all connections.
    public func bytes(_ direction: Direction) -> Int {
        worker.settings.withLock { direction == .toBroker ? $0.bytesToBroker : $0.bytesToClient }
    }

    /// How many round trips one after the other it took to come to where things are: connecting is one, and so is each answer
    /// without which the client did not send what came next, on the same or another connection. Set a ``delay(_:)`` that is long
    /// beside what client and broker take to think, or what is sent side by side counts as one after the other.
    public var roundTrips: Int { worker.settings.withLock(\.seenByClient) }

    /// Looks for these bytes in what clients send from now on.
    public func look(for landmark: [UInt8]) { change { $0.landmarks[landmark] = .some(nil) } }

    /// How many round trips had led to it when a client first sent these bytes, which ``look(for:)`` named before; nil while no
    /// client has. Unlike ``roundTrips`` it does not grow while a test is slow to ask.
    public func roundTrips(before landmark: [UInt8]) -> Int? {
        worker.settings.withLock { $0.landmarks[landmark].flatMap { $0 } }
    }

    /// How many connections have been accepted and not refused.
    public var connections: Int { worker.settings.withLock(\.connections) }

    private func change(_ change: (inout sending Settings) -> Void) {
        worker.settings.withLock { change(&$0) }
        worker.wake()
    }
}
