import Logging
import Synchronization

extension Driver {
    /// How long an exclusive queue may stay locked after a reconnect. A broker that has not noticed yet that the old
    /// connection is gone keeps the old connection's exclusive queues; RabbitMQ 4 often needs some milliseconds more.
    private static let lockedMaximum = Duration.seconds(10)
    private static let lockedPause = Duration.milliseconds(50)

    /// Begins to restore everything: topology first, then channels with their consumers.
    func restore() {
        unrestored = 1
        for slot in slots.values { place(slot) }
        declareTopology(lockedUntil: .now + Self.lockedMaximum)
    }

    /// Declares everything again, and once more after a pause while the lost connection holds an exclusive queue.
    private func declareTopology(lockedUntil end: ContinuousClock.Instant) {
        run(
            Script(topology.declarations) { [unowned self] error in
                if error.code == .resourceLocked, .now < end { return false }
                // An object that exists with other arguments, or that this user may not declare, is used as it is; a
                // missing object shows in its consumers.
                logger.log(
                    level: error.code == .accessRefused ? .debug : .error, "topology not restored in full",
                    metadata: ["error": "\(error)"])
                return true
            } finish: { [unowned self] result in
                if case .failure(let error) = result {
                    if error.code == .resourceLocked {
                        logger.debug("an exclusive queue is still locked", metadata: ["error": "\(error)"])
                        redeclaring = Redeclaring(at: .now + Self.lockedPause, lockedUntil: end)
                        return
                    }
                    // Either the connection was lost again; or no channel is left for declaring, and existing objects
                    // do without it.
                    guard error.code == .invalidArgument else { return }
                    logger.error("topology not restored", metadata: ["error": "\(error)"])
                }
                restoreChannels()
            })
    }

    /// Declares the topology once more when its time has come.
    func redeclare(_ now: ContinuousClock.Instant) {
        guard let due = redeclaring, due.at <= now else { return }
        redeclaring = nil
        declareTopology(lockedUntil: due.lockedUntil)
    }

    private func restoreChannels() {
        let channels = slots.values.filter { !$0.isInternal }
        unrestored = channels.count
        for slot in channels {
            slot.isRestoring = true
            setUp(slot)
        }
    }

    func restoredOne() {
        if let count = unrestored, count > 0 { unrestored = count - 1 }
    }

    /// Handles a lost or failed connection: fails all pending calls, keeps everything that will be restored.
    func lose(_ error: RabbitMQError) {
        let wasConnected = isConnected
        core.epoch.store(0, ordering: .releasing)
        unrestored = nil
        redeclaring = nil
        let lost =
            error.code == .connectionLost
            ? error
            : RabbitMQError(.connectionLost, error.message, replyCode: error.replyCode, cause: error)
        fail(sent: lost, unsent: ConnectionCore.notConnected)
        for slot in slots.values where slot.closing != nil || slot.opened != nil {
            remove(slot, because: lost)
        }
        numbered = []
        core.failure.withLock { $0 = error }
        core.states.publish(.disconnected(error))
        guard closing == nil, !isAbandoned else { return }
        let now = ContinuousClock.now
        let isDue = warnedAt.map { now - $0 >= Self.warningInterval } ?? true
        if wasConnected {
            logger.warning("connection to broker lost", metadata: ["error": "\(error)"])
        } else if isDue {
            logger.warning("broker not reached, trying again", metadata: ["error": "\(error)"])
        } else {
            logger.debug("broker not reached", metadata: ["error": "\(error)"])
        }
        // The first failure to reconnect is always logged as a warning, however soon it comes.
        if wasConnected { warnedAt = nil } else if isDue { warnedAt = now }
    }

    /// Time between two warnings that there is still no connection.
    private static let warningInterval = Duration.seconds(60)

    /// Fails all calls that wait for the broker.
    func fail(sent: RabbitMQError, unsent: RabbitMQError) {
        for consuming in touched { consuming.batch = [] }
        touched = []
        _ = urgent.removeAll()
        partial = nil
        isBlocked = false
        listed = []
        // Scripts first, as a whole: a script that passes over errors would only leave out each failed step.
        for slot in slots.values where slot.isInternal { remove(slot, because: sent) }
        for slot in slots.values {
            slot.isListed = false
            slot.phase = .idle
            slot.isRestoring = false
            slot.queuedPublishes = 0
            slot.starting = []
            for request in slot.confirms.reset() { settle(request, .failure(sent)) }
            for request in slot.waiting { drop(request, unsent) }
            slot.waiting = []
            let requests = slot.takeRequests()
            for request in requests.sent { request.finish(.failure(sent)) }
            for request in requests.unsent { request.finish(.failure(unsent)) }
            for consumer in slot.consumers.values { consumer.core.dropUnread() }
        }
        for request in publishes.removeAll() { drop(request, unsent) }
    }
}
