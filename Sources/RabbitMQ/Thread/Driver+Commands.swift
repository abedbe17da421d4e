import Logging

extension Driver {
    func handle(_ command: Command) {
        switch command {
        case .settle(let channel, let incarnation, let tag, let settling):
            settle(channel, incarnation, tag, settling)
        case .closeChannel(let id, let promise): close(id, promise)
        case .cancel(let id, let consumer, let promise): cancel(id, consumer, promise)
        case .abandon: isAbandoned = true
        case .close:
            if closing == nil {
                logger.debug("closing connection to broker")
                closing = .waiting(deadline: .now + configuration.connectTimeout)
            }
        case .publish(let request):
            if let refusal = refusal() {
                drop(request, refusal)
            } else {
                enqueue(request)
            }
        default:
            if let refusal = refusal() {
                command.fail(refusal)
            } else {
                act(on: command)
            }
        }
    }

    private func refusal() -> RabbitMQError? {
        if closing != nil { return ConnectionCore.closed }
        return isConnected ? nil : ConnectionCore.notConnected
    }

    private func act(on command: Command) {
        switch command {
        case .openChannel(let id, let promise): open(id, promise)
        case .consume(let id, let consumer, let promise): consume(id, consumer, promise)
        case .get(let id, let queue, let promise):
            request(id, .get(queue: queue), promise) { [unowned self] slot, answer in
                // If the caller is gone, the fetched message must not stay unsettled.
                guard let delivery = answer.delivery else {
                    promise.resolve(.success(nil))
                    return
                }
                if !promise.resolve(.success(delivery)) {
                    slot.acknowledgements.reject(delivery.tag, requeue: true)
                    list(slot)
                }
            }
        case .purge(let id, let queue, let promise):
            request(id, .purge(queue: queue), promise) { promise.resolve(.success($1.count)) }
        case .count(let id, let queue, let promise):
            request(id, .countMessages(queue: queue), promise) {
                promise.resolve(.success(QueueDepth(messages: $1.count, consumers: $1.consumers)))
            }
        case .check(let id, let exchange, let promise):
            request(id, .checkExchange(exchange), promise) { _, _ in promise.resolve(.success(())) }
        case .define(let new, let declaring, let promise):
            let steps =
                switch declaring {
                case .missing: new.without(topology).declarations
                case .all: new.declarations
                case .none: [Method]()
                }
            run(
                Script(steps, passing: { _ in false }) { [unowned self] result in
                    if case .success = result { topology += new }
                    promise.resolve(result)
                })
        case .checkObjects(let exchanges, let queues, let promise):
            let steps = exchanges.map(Method.checkExchange) + queues.map { .countMessages(queue: $0) }
            run(Script(steps, passing: { _ in false }) { promise.resolve($0) })
        case .delete(let old, let promise):
            topology = topology.removing(old)
            run(Script(old.deletions, passing: { $0.code == .notFound }) { promise.resolve($0) })
        case .publish, .settle, .closeChannel, .cancel, .close, .abandon: break
        }
    }

    /// Sends a method on a user's channel when its turn comes.
    private func request<Value: Sendable>(
        _ id: UInt64, _ method: Method, _ promise: Promise<Value>,
        _ succeed: @escaping (ChannelSlot, Frame.Answer) -> Void
    ) {
        guard let slot = usable(id) else { return promise.fail(Self.channelClosed) }
        slot.requests.append(
            ChannelSlot.Request(method) { [unowned slot] result in
                switch result {
                case .success(let answer): succeed(slot, answer)
                case .failure(let error): promise.fail(error)
                }
            })
        list(slot)
    }

    private func consume(_ id: UInt64, _ consumer: ConsumerCore, _ promise: Promise<Void>) {
        guard let slot = usable(id) else { return promise.fail(Self.channelClosed) }
        guard slot.consumers[consumer.tag] == nil, slot.starting.insert(consumer.tag).inserted else {
            promise.fail(
                RabbitMQError(.invalidArgument, "the channel has a consumer '\(consumer.tag)' already: use another tag")
            )
            return
        }
        func fail(_ error: RabbitMQError) {
            slot.starting.remove(consumer.tag)
            promise.fail(error)
        }
        func begin() {
            slot.starting.remove(consumer.tag)
            slot.consumers[consumer.tag] = ChannelSlot.Consuming(consumer)
            adjust(slot)
            if !promise.resolve(.success(())) {
                // The caller is gone, and no other code could ever cancel the consumer.
                slot.requests.append(cancellation(of: consumer, on: slot, nil))
                list(slot)
            }
        }
        slot.requests.append(
            ChannelSlot.Request(.consume(consumer), preface: .prefetch(consumer.prefetch)) { result in
                switch result {
                case .success: begin()
                case .failure(let error): fail(error)
                }
            })
        list(slot)
    }

    private func cancel(_ id: UInt64, _ consumer: ConsumerCore, _ promise: Promise<Void>) {
        guard let slot = slots[id], slot.consumers[consumer.tag]?.core === consumer else {
            consumer.end(.success(()))
            promise.resolve(.success(()))
            return
        }
        guard slot.phase != .idle else {
            slot.consumers[consumer.tag] = nil
            consumer.end(.success(()))
            promise.resolve(.success(()))
            return
        }
        slot.requests.append(cancellation(of: consumer, on: slot, promise))
        list(slot)
    }

    func cancellation(
        of consumer: ConsumerCore, on slot: ChannelSlot, _ promise: Promise<Void>?
    ) -> ChannelSlot.Request {
        ChannelSlot.Request(.cancel(consumerTag: consumer.tag)) { [unowned self, unowned slot] _ in
            // With any answer, the consumer must not be restored.
            handOver()
            if slot.consumers[consumer.tag]?.core === consumer { slot.consumers[consumer.tag] = nil }
            consumer.end(.success(()))
            promise?.resolve(.success(()))
        }
    }

    private func settle(_ id: UInt64, _ incarnation: UInt64, _ tag: UInt64, _ settling: Command.Settling) {
        guard let slot = slots[id], slot.incarnation == incarnation, slot.phase == .open else { return }
        let isNew =
            switch settling {
            case .acknowledge: slot.acknowledgements.acknowledge(tag, at: .now)
            case .reject(let requeue): slot.acknowledgements.reject(tag, requeue: requeue)
            }
        if isNew { list(slot) }
    }

    func usable(_ id: UInt64) -> ChannelSlot? {
        guard let slot = slots[id], slot.closing == nil else { return nil }
        return slot
    }

    static var channelClosed: RabbitMQError {
        RabbitMQError(.closed, "the channel was closed by this program: open another one")
    }

    /// A quarter of the smallest prefetch may wait for a gap to close.
    func adjust(_ slot: ChannelSlot) {
        let smallest = slot.consumers.values.map { Int($0.core.prefetch) }.min() ?? 16
        slot.acknowledgements.heldMaximum = max(1, smallest / 4)
    }

    /// Notes that a slot has something to send.
    func list(_ slot: ChannelSlot) {
        guard !slot.isListed else { return }
        slot.isListed = true
        listed.append(slot)
    }
}
