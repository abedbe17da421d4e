extension Driver {
    /// Closes a channel because its handle asked for it, or is gone.
    func close(_ id: UInt64, _ promise: Promise<Void>) {
        guard let slot = slots[id] else {
            promise.resolve(.success(()))
            return
        }
        guard slot.phase != .idle else {
            remove(slot)
            promise.resolve(.success(()))
            return
        }
        beginClosing(slot, deadline: .now + configuration.connectTimeout)
        slot.closing?.promises.append(promise)
    }

    private func beginClosing(_ slot: ChannelSlot, deadline: ContinuousClock.Instant) {
        guard slot.closing == nil else { return }
        if slot.phase == .idle { return remove(slot) }
        slot.closing = ChannelSlot.Closing(deadline: deadline)
        slot.opened?.fail(Self.channelClosed)
        slot.opened = nil
        for consuming in slot.consumers.values {
            slot.requests.append(cancellation(of: consuming.core, on: slot, nil))
        }
        list(slot)
    }

    /// Continues all closings.
    func progressClosings(_ now: ContinuousClock.Instant) throws(RabbitMQError) {
        if case .waiting(let deadline)? = closing {
            for slot in slots.values where !slot.isInternal {
                if isAtRest(slot) { remove(slot) } else { beginClosing(slot, deadline: deadline) }
            }
        }
        for slot in slots.values where slot.closing != nil { progress(slot, now) }
        if case .waiting(let deadline)? = closing, slots.isEmpty || deadline <= now {
            urgent.append((.closeConnection, 0))
            closing = .asked(deadline: now + configuration.connectTimeout)
        }
    }

    /// Whether a channel may end together with its connection, because nothing is under way on it. A channel with
    /// deliveries is closed first, because a quorum queue may lose acknowledgements that come right before the
    /// connection's end.
    private func isAtRest(_ slot: ChannelSlot) -> Bool {
        slot.phase == .open && slot.closing == nil && slot.consumers.isEmpty && slot.starting.isEmpty
            && slot.requests.isEmpty && slot.awaited.isEmpty && slot.queuedPublishes == 0 && slot.confirms.isEmpty
            && !slot.acknowledgements.isUsed && partial?.slot !== slot
    }

    private func progress(_ slot: ChannelSlot, _ now: ContinuousClock.Instant) {
        guard let closing = slot.closing, !closing.isCloseAsked else { return }
        if isBlocked, slot.queuedPublishes > 0 {
            for request in publishes.removeAll(where: { $0.channel == slot.id }) { drop(request, Self.channelClosed) }
            for request in slot.waiting { drop(request, Self.channelClosed) }
            slot.waiting = []
            slot.queuedPublishes = 0
        }
        let isQuiet = slot.queuedPublishes == 0 && slot.confirms.isEmpty && partial?.slot !== slot
        guard isQuiet || closing.deadline <= now else { return }
        slot.closing?.isCloseAsked = true
        slot.requests.append(
            ChannelSlot.Request(.closeChannel) { [unowned self, unowned slot] _ in
                for request in slot.confirms.reset() {
                    settle(
                        request, .failure(RabbitMQError(.timedOut, "closed before the broker confirmed the message")))
                }
                remove(slot)
            })
        list(slot)
    }
}
