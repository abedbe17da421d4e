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
    }

    /// Where clients connect to.
    public let port: Int
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

    /// How many connections have been accepted and not refused.
    public var connections: Int { worker.settings.withLock(\.connections) }

    private func change(_ change: (inout sending Settings) -> Void) {
        worker.settings.withLock { change(&$0) }
        worker.wake()
    }
}
