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
        let opening = beginOpening()
        try await opening.promise.value()
        return opening.channel
    }

    /// The same for several channels, in one round trip.
    public func openChannels(_ count: Int) async throws(RabbitMQError) -> [Channel] {
        let openings = (0..<count).map { _ in beginOpening() }
        for opening in openings { try await opening.promise.value() }
        return openings.map(\.channel)
    }

    /// Opens a channel and begins to consume on it, in one round trip.
    /// - Throws: what ``openChannel()`` and ``Channel/consume(_:prefetch:tag:exclusive:arguments:stream:)`` throw.
    public func consume(
        _ queue: String, prefetch: UInt16, exclusive: Bool = false, stream: StreamOffset? = nil
    ) async throws(RabbitMQError) -> Consumer {
        let opening = beginOpening()
        let consuming = try opening.channel.beginConsuming(
            queue, prefetch: prefetch, exclusive: exclusive, stream: stream)
        // If the channel cannot be opened, that is what the caller has to know.
        try await opening.promise.value()
        try await consuming.promise.value()
        return consuming.consumer
    }

    /// The channel is closed again with its handle, should the caller stop waiting.
    private func beginOpening() -> (channel: Channel, promise: Promise<Void>) {
        let channel = Channel(connection: self, id: core.makeID())
        return (channel, core.begin { .openChannel(channel.id, $0) })
    }

    /// Declares what this connection has not declared yet, in one round trip; and again after every reconnect, before consumers
    /// are restored.
    ///
    /// - Throws: `.preconditionFailed` if something is there with other arguments, `.accessRefused`, `.notFound` for a
    ///   binding of what does not exist. What came before in the topology is declared then, and nothing is remembered.
    public func define(_ topology: Topology) async throws(RabbitMQError) {
        try await define(topology, .missing)
    }

    /// Declares all of it, also what this connection has declared before: it may have been deleted since.
    public func declareAgain(_ topology: Topology) async throws(RabbitMQError) {
        try await define(topology, .all)
    }

    /// Declares it after every reconnect, and not now: another connection has declared it.
    public func remember(_ topology: Topology) async throws(RabbitMQError) {
        try await define(topology, .none)
    }

    private func define(_ topology: Topology, _ declaring: Command.Declaring) async throws(RabbitMQError) {
        try topology.validate()
        try await core.ask { .define(topology, declaring, $0) }
    }

    /// Asks in one round trip whether all these are there, whatever their arguments, and declares nothing. No permission is needed.
    /// - Throws: `.notFound` with the name of the first that is not.
    public func check(exchanges: [String] = [], queues: [String]) async throws(RabbitMQError) {
        for exchange in exchanges { try Names.check(exchange, "exchange") }
        for queue in queues { try Names.check(queue, "queue") }
        try await core.ask { .checkObjects(exchanges: exchanges, queues: queues, $0) }
    }

    /// Deletes bindings, queues (with what they hold) and exchanges, and forgets them. What does not exist is no error.
    public func delete(_ topology: Topology) async throws(RabbitMQError) {
        try topology.validate()
        try await core.ask { .delete(topology, $0) }
    }

    /// Grows with every (re)connect; 0 while not connected. Cheap, from any thread.
    public var epoch: UInt64 { core.epoch.load(ordering: .acquiring) }

    /// Why it is not connected: why the connection was lost, or the last attempt to reconnect failed. nil while it is connected.
    public var failure: RabbitMQError? { core.failure.withLock { $0 } }

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
    ///
    /// - Parameter limit: how long it may take, where that is less; then it is cut.
    public func close(within limit: Duration? = nil) async {
        core.inbox.send(.close)
        let most = core.configuration.connectTimeout * (2 * core.configuration.addresses.count + 2)
        // A resolver that hangs could keep the thread longer than that: then it ends by itself later on.
        let watchdog = Task { [core] in
            try await Task.sleep(for: min(limit ?? most, most))
            core.inbox.send(.abandon)
            core.ended.fire()
        }
        await core.ended.wait()
        watchdog.cancel()
    }
}
