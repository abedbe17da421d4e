import Foundation
import Glibc
import Synchronization

/// A proxy between a program and a broker that reads AMQP 0-9-1 and applies a rule at each protocol step, so that a test can kill a
/// program from outside at a named point. A message passes as a whole, however many frames it has. It supports no TLS.
public final class AMQPFaultProxy: Sendable {
    /// The proxy calls it on the thread of the step's connection and direction, before it passes the step on.
    public typealias Rule = @Sendable (AMQPStep) -> Action

    /// What to do with a step.
    public enum Action: Sendable {
        case forward
        /// Swallows the step; the connection stays open.
        case drop
        /// Closes the connection instead of passing the step on.
        case cut
        /// Runs the closure, then closes the connection instead of passing the step on.
        case before(@Sendable () -> Void)
        /// Passes the step on, then runs the closure while nothing else passes on the connection.
        case after(@Sendable () -> Void)
        /// Passes nothing more on any connection, and closes none, until ``heal()``: a network that has gone quiet.
        case stall
    }

    /// The port that clients connect to.
    public let port: Int
    /// The proxy's URL for the user guest and the default virtual host.
    public var url: String { "amqp://guest:guest@127.0.0.1:\(port)/" }
    private let brokerPort: Int
    private let listener: CInt
    private let state: Mutex<State>
    private let changes = Changes()

    private struct State {
        var rule: Rule
        var steps: [AMQPStep] = []
        var sockets: Set<CInt> = []
        var connections = 0
        var open: [CInt: AMQPFaultProxyConnection] = [:]
        var isStalled = false
        var isStopped = false
    }

    /// Wakes the threads that wait for the end of a stall.
    private final class Changes: Sendable {
        private let condition = NSCondition()

        func wait(while isWaiting: () -> Bool) {
            condition.lock()
            while isWaiting() { condition.wait() }
            condition.unlock()
        }

        func announce() {
            condition.lock()
            condition.broadcast()
            condition.unlock()
        }
    }

    public init(to brokerPort: Int, rule: @escaping Rule = { _ in .forward }) throws {
        self.brokerPort = brokerPort
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
                    close(listener)
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
            return !state.isStopped
        }
        guard isFirst else { return }
        heal()
        cut()
        // Wakes accept, which then fails.
        shutdown(listener, CInt(SHUT_RDWR))
    }

    /// Closes all open connections.
    public func cut() {
        state.withLock { state in
            for socket in state.sockets { shutdown(socket, CInt(SHUT_RDWR)) }
        }
    }

    /// See ``Action/stall``.
    public func stall() { state.withLock { $0.isStalled = true } }

    public func heal() {
        state.withLock { $0.isStalled = false }
        changes.announce()
    }

    /// Sets the rule for all later steps.
    public func setRule(_ rule: @escaping Rule) { state.withLock { $0.rule = rule } }

    /// Every publish, confirm, delivery and acknowledgement so far, passed on or not.
    public var steps: [AMQPStep] { state.withLock(\.steps) }

    /// The number of accepted connections.
    public var connections: Int { state.withLock(\.connections) }

    /// The messages that were delivered to the connected clients and that they have not acknowledged.
    public var unacknowledged: [AMQPStep.Message] {
        state.withLock { Array($0.open.values) }.flatMap(\.unacknowledged)
    }

    func decide(_ step: AMQPStep) -> Action {
        let rule = state.withLock { state in
            state.steps.append(step)
            return state.rule
        }
        return rule(step)
    }

    /// Returns at once unless there is a stall.
    func waitForHealing() { changes.wait { state.withLock { $0.isStalled && !$0.isStopped } } }

    private func serve(_ client: CInt) {
        guard let broker = try? LoopbackSocket.connect(port: brokerPort) else {
            close(client)
            return
        }
        let connection = AMQPFaultProxyConnection(client: client, broker: broker)
        let isWanted = state.withLock { state in
            guard !state.isStopped else { return false }
            state.connections += 1
            state.open[client] = connection
            state.sockets.formUnion([client, broker])
            return true
        }
        guard isWanted else {
            close(client)
            close(broker)
            return
        }
        // The sockets are closed when both directions have ended. Otherwise a new socket could get a number that one direction still uses.
        let open = Countdown(2)
        for isToBroker in [true, false] {
            Thread.detachNewThread { [weak self] in
                connection.run(toBroker: isToBroker) { self }
                guard open.leave() else { return }
                self?.state.withLock { state in
                    state.sockets.subtract([client, broker])
                    state.open[client] = nil
                }
                close(client)
                close(broker)
            }
        }
    }

    /// Counts the directions that have not ended.
    private final class Countdown: Sendable {
        private let count: Atomic<Int>

        init(_ count: Int) { self.count = Atomic(count) }

        /// - Returns: whether this direction was the last.
        func leave() -> Bool { count.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
    }
}
