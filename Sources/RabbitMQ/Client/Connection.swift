public import Logging
import Synchronization

/// A connection to a broker that reconnects by itself.
///
/// One thread owns the socket; every function here hands it a command and waits, so all of them may be called from any
/// task. After a loss it reconnects to the next address, declares its topology again, opens its channels and
/// restores their consumers, and begins a new ``epoch``; what was under way when it was lost fails with `.connectionLost`
/// (or `.notConnected` where nothing had been sent). A connection whose last handle is gone is cut.
public final class Connection: Sendable {
    let core: ConnectionCore

    private init(core: ConnectionCore) { self.core = core }

    deinit { core.inbox.send(.abandon) }

    /// Connects to the first of the addresses that answers.
    ///
    /// - Throws: what the most telling address answered: `.loginRefused`, `.tlsFailed`, `.timedOut`,
    ///   `.connectionRefused`; `.cancelled` if the task is cancelled meanwhile.
    public static func open(
        _ configuration: ConnectionConfiguration, logger: Logger
    ) async throws(RabbitMQError) -> Connection {
        let core = try ConnectionCore(configuration, logger: logger)
        let connection = Connection(core: core)
        try ConnectionThread.start(core)
        try await core.opened.value()
        return connection
    }

    /// Opens a channel, which stays usable across reconnects.
    ///
    /// - Throws: `.notConnected`, `.connectionLost`, `.closed`; `.invalidArgument` if the broker allows no more channels.
    public func openChannel() async throws(RabbitMQError) -> Channel {
        let id = core.makeID()
        do throws(RabbitMQError) {
            try await core.ask { .openChannel(id, $0) }
        } catch {
            if error.code == .cancelled { core.inbox.send(.closeChannel(id, Promise())) }
            throw error
        }
        return Channel(connection: self, id: id)
    }

    /// Declares what is not there yet, and again after every reconnect, before consumers are restored.
    ///
    /// - Throws: `.preconditionFailed` if something is there with other arguments, `.accessRefused`, `.notFound` for a
    ///   binding of what does not exist. What came before in the topology is declared then, and nothing is remembered.
    public func define(_ topology: Topology) async throws(RabbitMQError) {
        try topology.validate()
        try await core.ask { .define(topology, $0) }
    }

    /// Deletes bindings, queues (with what they hold) and exchanges, and forgets them. What does not exist is no error.
    public func delete(_ topology: Topology) async throws(RabbitMQError) {
        try topology.validate()
        try await core.ask { .delete(topology, $0) }
    }

    /// Grows with every (re)connect; 0 while not connected. Cheap, from any thread.
    public var epoch: UInt64 { core.epoch.load(ordering: .acquiring) }

    /// How the connection is doing: the current state, then each change. A listener that lags loses the oldest.
    public func states() -> AsyncStream<ConnectionState> { core.states.listen() }

    /// Waits until connected.
    ///
    /// - Returns: the epoch.
    /// - Throws: `.closed`, `.cancelled`.
    @discardableResult
    public func waitUntilConnected() async throws(RabbitMQError) -> UInt64 {
        for await state in states() {
            if case .closed = state { throw ConnectionCore.closed }
            let epoch = self.epoch
            if epoch != 0 { return epoch }
        }
        if Task.isCancelled { throw RabbitMQError(.cancelled, "the calling task was cancelled") }
        throw ConnectionCore.closed
    }

    /// Closes in good order: publishes under way are awaited (not those that a blocked broker holds up), consumers
    /// cancelled, acknowledgements sent, channels and connection closed. Takes at most a few times
    /// `connectTimeout`; whatever waits then fails with `.closed`. Calling it again waits for the same end.
    public func close() async {
        core.inbox.send(.close)
        let limit = core.configuration.connectTimeout * (2 * core.configuration.addresses.count + 2)
        // A resolver that hangs could keep the thread longer than that: then it ends by itself later on.
        let watchdog = Task { [core] in
            try await Task.sleep(for: limit)
            core.ended.open()
        }
        await core.ended.wait()
        watchdog.cancel()
    }
}
