import Glibc
import Logging
import Synchronization

/// The work of the connection's thread. Everything here belongs to that thread; other threads reach it through the
/// inbox.
final class Driver {
    let core: ConnectionCore
    var logger: Logger { core.logger }
    var configuration: ConnectionConfiguration { core.configuration }

    /// All channels, by their handles' ids (`slots`); those of the present connection, by number (`numbered`).
    var slots: [UInt64: ChannelSlot] = [:]
    var numbered: [ChannelSlot?] = []
    /// Slots with a method or acknowledgements to send.
    var listed: [ChannelSlot] = []
    /// Frames that go out before all others: answers that the protocol wants at once.
    var urgent = FIFO<(method: Method, channel: UInt16)>()
    var publishes = FIFO<PublishRequest>()
    var partial: PartialPublish?
    var isBlocked = false
    /// Consumers with a batch to hand over.
    var touched: [ChannelSlot.Consuming] = []
    /// The objects that are declared again after each reconnect.
    var topology = Topology()
    /// How many channels are not restored yet; the epoch begins when none is left.
    var unrestored: Int?

    /// When the topology is declared once more, because the lost connection holds an exclusive queue; and until when
    /// that is worth waiting for.
    struct Redeclaring {
        let at: ContinuousClock.Instant
        let lockedUntil: ContinuousClock.Instant
    }

    var redeclaring: Redeclaring?
    var lastIncarnation: UInt64 = 0
    var channelMaximum: UInt16 = 0

    enum Closing {
        case waiting(deadline: ContinuousClock.Instant)
        case asked(deadline: ContinuousClock.Instant)
    }

    var closing: Closing?
    var isAbandoned = false
    var isCloseConfirmed = false

    private var commands: [Command] = []
    private var lastEpoch: UInt64 = 0
    /// The time of the last warning that there is no connection.
    var warnedAt: ContinuousClock.Instant?
    private var addressIndex = 0

    init(_ core: ConnectionCore) { self.core = core }

    func run() {
        defer { end() }
        var attempt = 0
        var generator = SystemRandomNumberGenerator()
        var hasConnected = false
        while true {
            do throws(RabbitMQError) {
                let link = try connect()
                attempt = 0
                try serve(link, isFirst: !hasConnected) { hasConnected = true }
                return
            } catch {
                guard hasConnected else {
                    core.opened.fail(error)
                    return
                }
                lose(error)
                if closing != nil || isAbandoned { return }
                let delay = configuration.reconnectDelay.delay(beforeAttempt: attempt, using: &generator)
                attempt += 1
                if !wait(delay) { return }
            }
        }
    }

    /// Tries all addresses once, beginning behind the one that was tried last.
    private func connect() throws(RabbitMQError) -> Link {
        var errors: [RabbitMQError] = []
        for _ in configuration.addresses {
            let address = configuration.addresses[addressIndex % configuration.addresses.count]
            addressIndex += 1
            do throws(RabbitMQError) {
                return try Link.open(address, configuration)
            } catch {
                logger.debug("broker not reached", metadata: ["broker": "\(address)", "error": "\(error)"])
                errors.append(error)
            }
            takeCommands()
            if closing != nil || isAbandoned { throw ConnectionCore.closed }
        }
        let telling = Self.telling(errors)
        guard errors.count > 1 else { throw telling }
        throw RabbitMQError(
            telling.code, errors.map(\.message).joined(separator: "; "), replyCode: telling.replyCode, cause: telling)
    }

    /// Chooses the error that counts. A refused login is the cluster's answer. Another permanent error of one broker
    /// (its certificate, say) decides only if no other broker may come back.
    private static func telling(_ errors: [RabbitMQError]) -> RabbitMQError {
        errors.first { $0.code == .loginRefused } ?? errors.first(where: \.isRetryable) ?? errors[0]
    }

    /// Serves one connection until it is closed in order; throws when it is lost.
    private func serve(_ link: Link, isFirst: Bool, _ whenConnected: () -> Void) throws(RabbitMQError) {
        numbered = []
        channelMaximum = link.channelMaximum
        isBlocked = false
        isCloseConfirmed = false
        restore()
        var mayHaveMore = false
        while true {
            takeCommands()
            if isAbandoned { return }
            let now = ContinuousClock.now
            mayHaveMore = try readFrames(link)
            redeclare(now)
            if unrestored == 0 {
                unrestored = nil
                connected()
                whenConnected()
            }
            handOver()
            try progressClosings(now)
            if isCloseConfirmed { return }
            if case .asked(let deadline)? = closing, deadline <= now { return }

            let mayWait = mayHaveMore ? 0 : try timeout(link, now)
            let isWritable = try poll(link, milliseconds: mayWait, wantsToSend: hasSomethingToSend(now))
            if isWritable { try send(link) }
        }
    }

    private func connected() {
        lastEpoch += 1
        core.failure.withLock { $0 = nil }
        core.epoch.store(lastEpoch, ordering: .releasing)
        core.states.publish(.connected(epoch: lastEpoch))
        // The caller of `open` knows of the first.
        logger.log(level: lastEpoch == 1 ? .debug : .info, "connected to broker", metadata: ["epoch": "\(lastEpoch)"])
        core.opened.resolve(.success(()))
    }

    /// The present epoch, or the one that will begin once everything is restored.
    var currentEpoch: UInt64 { unrestored == nil ? lastEpoch : lastEpoch + 1 }
    var isConnected: Bool { core.epoch.load(ordering: .relaxed) != 0 }

    /// - Returns: whether the socket takes more.
    private func poll(_ link: Link, milliseconds: CInt, wantsToSend: Bool) throws(RabbitMQError) -> Bool {
        let events = CShort(wantsToSend ? POLLIN | POLLOUT : POLLIN)
        var descriptors = (
            pollfd(fd: link.descriptor, events: events, revents: 0),
            pollfd(fd: core.inbox.wakeDescriptor, events: CShort(POLLIN), revents: 0)
        )
        let status = withUnsafeMutableBytes(of: &descriptors) { bytes in
            Glibc.poll(bytes.baseAddress?.assumingMemoryBound(to: pollfd.self), 2, milliseconds)
        }
        if status < 0 {
            if errno == EINTR { return false }
            throw RabbitMQError(.connectionLost, "waiting for the broker failed (errno \(errno))")
        }
        if CInt(descriptors.0.revents) & POLLNVAL != 0 {
            throw RabbitMQError(.connectionLost, "the library closed the connection")
        }
        return CInt(descriptors.0.revents) & POLLOUT != 0
    }

    /// The longest time to wait for an event, in milliseconds. The library sends heartbeats only inside its calls.
    private func timeout(_ link: Link, _ now: ContinuousClock.Instant) throws(RabbitMQError) -> CInt {
        var limit: Duration = link.heartbeat == .zero ? .seconds(10) : link.heartbeat / 2
        func consider(_ deadline: ContinuousClock.Instant?) {
            if let deadline { limit = min(limit, now.duration(to: deadline)) }
        }
        for slot in listed { consider(slot.acknowledgements.deadline) }
        consider(redeclaring?.at)
        switch closing {
        case .waiting(let deadline), .asked(let deadline): consider(deadline)
        case nil: break
        }
        for slot in slots.values where slot.closing != nil { consider(slot.closing?.deadline) }
        let (seconds, attoseconds) = limit.components
        return CInt(clamping: max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    /// Waits between two attempts. - Returns: false if the connection is to be closed.
    private func wait(_ delay: Duration) -> Bool {
        let end = ContinuousClock.now + delay
        while true {
            takeCommands()
            if closing != nil || isAbandoned { return false }
            let left = ContinuousClock.now.duration(to: end)
            if left <= .zero { return true }
            var descriptor = pollfd(fd: core.inbox.wakeDescriptor, events: CShort(POLLIN), revents: 0)
            let (seconds, attoseconds) = left.components
            _ = Glibc.poll(&descriptor, 1, CInt(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
        }
    }

    private func takeCommands() {
        core.inbox.takeAll(&commands)
        for command in commands { handle(command) }
        commands.removeAll(keepingCapacity: commands.capacity <= 4096)
    }

    /// The last step of the thread: fails all calls that still wait.
    private func end() {
        core.epoch.store(0, ordering: .releasing)
        for command in core.inbox.shut() {
            if case .closeChannel(_, let promise) = command { promise.resolve(.success(())) }
            command.fail(ConnectionCore.closed)
        }
        fail(sent: ConnectionCore.closed, unsent: ConnectionCore.closed)
        for slot in slots.values {
            for consumer in slot.consumers.values { consumer.core.end(.success(())) }
            slot.opened?.fail(ConnectionCore.closed)
        }
        slots = [:]
        core.opened.fail(ConnectionCore.closed)
        core.states.publish(.closed)
        core.ended.fire()
        logger.debug("connection to broker closed")
    }
}
