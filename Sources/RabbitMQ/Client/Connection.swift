public import Logging
import Synchronization

/// A connection to a broker that reconnects by itself.
///
/// One thread owns the socket; every method here hands it a command and waits, so all of them may be called from any
/// task. After a loss the thread connects to the next address, declares the topology again, opens the channels,
/// restores their consumers, and begins a new ``epoch``. Calls that were under way fail with `.connectionLost` (or with
/// `.notConnected` if nothing had been sent). A connection whose last handle is gone is cut.
public final class Connection: Sendable {
    let core: ConnectionCore

    private init(core: ConnectionCore) { self.core = core }

    deinit { core.inbox.send(.abandon) }

    /// Connects to the first address that answers.
    ///
    /// - Throws: the most telling of the addresses' errors: `.loginRefused`, `.tlsFailed`, `.timedOut`,
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
    /// - Throws: the errors of ``openChannel()`` and ``Channel/consume(_:prefetch:tag:exclusive:arguments:stream:)``.
    public func consume(
        _ queue: String, prefetch: UInt16, exclusive: Bool = false, stream: StreamOffset? = nil
    ) async throws(RabbitMQError) -> Consumer {
        let opening = beginOpening()
        let consuming = try opening.channel.beginConsuming(
            queue, prefetch: prefetch, exclusive: exclusive, stream: stream)
        // If the channel cannot be opened, the caller gets that error.
        try await opening.promise.value()
        try await consuming.promise.value()
        return consuming.consumer
    }

    /// If the caller stops waiting, its handle goes, and the channel is closed again.
    private func beginOpening() -> (channel: Channel, promise: Promise<Void>) {
        let channel = Channel(connection: self, id: core.makeID())
        return (channel, core.begin { .openChannel(channel.id, $0) })
    }

    /// Declares the objects that this connection has not declared yet, in one round trip; and again after every
    /// reconnect, before consumers are restored.
    ///
    /// - Throws: `.preconditionFailed` if an object exists with other arguments, `.accessRefused`, `.notFound` for a
    ///   binding of a missing object. The objects before the failed one are declared then, and none is remembered.
    public func define(_ topology: Topology) async throws(RabbitMQError) {
        try await define(topology, .missing)
    }

    /// Declares all objects, also those that this connection has declared before: they may have been deleted since.
    public func declareAgain(_ topology: Topology) async throws(RabbitMQError) {
        try await define(topology, .all)
    }

    /// Declares the objects after every reconnect, and not now: another connection has declared them.
    public func remember(_ topology: Topology) async throws(RabbitMQError) {
        try await define(topology, .none)
    }

    private func define(_ topology: Topology, _ declaring: Command.Declaring) async throws(RabbitMQError) {
        try topology.validate()
        try await core.ask { .define(topology, declaring, $0) }
    }

    /// Checks in one round trip that all these objects exist, with any arguments, and declares nothing. Needs no
    /// permission.
    /// - Throws: `.notFound` with the name of the first missing one.
    public func check(exchanges: [String] = [], queues: [String]) async throws(RabbitMQError) {
        for exchange in exchanges { try Names.check(exchange, "exchange") }
        for queue in queues { try Names.check(queue, "queue") }
        try await core.ask { .checkObjects(exchanges: exchanges, queues: queues, $0) }
    }

    /// Deletes bindings, queues (with their messages) and exchanges, and forgets them. A missing object is not an
    /// error.
    public func delete(_ topology: Topology) async throws(RabbitMQError) {
        try topology.validate()
        try await core.ask { .delete(topology, $0) }
    }

    /// Grows with every (re)connect; 0 while not connected. Cheap, from any thread.
    public var epoch: UInt64 { core.epoch.load(ordering: .acquiring) }

    /// Why the connection was lost, or why the last attempt to reconnect failed. nil while it is connected.
    public var failure: RabbitMQError? { core.failure.withLock { $0 } }

    /// The current state, then each change. A slow listener loses the oldest states.
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

    /// Closes in order: awaits publishes under way (except those that a blocked broker holds up), cancels consumers,
    /// sends acknowledgements, closes channels and connection. Takes at most a few times `connectTimeout`; calls that
    /// still wait then fail with `.closed`. Another call waits for the same end.
    ///
    /// - Parameter limit: a shorter time limit, after which the connection is cut.
    public func close(within limit: Duration? = nil) async {
        core.inbox.send(.close)
        let most = core.configuration.connectTimeout * (2 * core.configuration.addresses.count + 2)
        // A hanging resolver could keep the thread longer than that: then it ends by itself later.
        let watchdog = Task { [core] in
            try await Task.sleep(for: min(limit ?? most, most))
            core.inbox.send(.abandon)
            core.ended.fire()
        }
        await core.ended.wait()
        watchdog.cancel()
    }
}
