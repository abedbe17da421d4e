import Logging

extension Driver {
    func open(_ id: UInt64, _ promise: Promise<Void>) {
        guard let slot = makeSlot(id, isInternal: false) else {
            promise.fail(
                RabbitMQError(
                    .invalidArgument,
                    "the broker allows \(channelMaximum) channels a connection, and all are in use: raise channel_max there, or have this "
                        + "program serve fewer queues (a worker needs four channels for each)"))
            return
        }
        slot.opened = promise
        slots[id] = slot
        setUp(slot)
    }

    /// Runs a script on a channel of its own.
    func run(_ script: Script) {
        guard !script.steps.isEmpty else { return script.finish(.success(())) }
        guard let slot = makeSlot(core.makeID(), isInternal: true) else {
            script.finish(
                .failure(
                    RabbitMQError(.invalidArgument, "no channel is left for declaring: close some of the others")))
            return
        }
        slot.script = script
        slots[slot.id] = slot
        for step in script.steps {
            slot.requests.append(
                ChannelSlot.Request(step) { [unowned self, unowned slot] in take($0, of: script, on: slot) })
        }
        setUp(slot)
    }

    /// Handles the result of a script's step.
    private func take(_ result: Result<Frame.Answer, RabbitMQError>, of script: Script, on slot: ChannelSlot) {
        // The script may have ended with an earlier step.
        guard slot.script === script else { return }
        if case .failure(let error) = result {
            // After a channel error the channel is opened again for the remaining steps.
            guard slot.phase == .idle, script.passes(error) else { return end(script, on: slot, .failure(error)) }
        }
        script.left -= 1
        if script.left == 0 { end(script, on: slot, .success(())) }
    }

    private func end(_ script: Script, on slot: ChannelSlot, _ result: Result<Void, RabbitMQError>) {
        slot.script = nil
        _ = slot.requests.removeAll()
        if slot.phase == .idle {
            remove(slot)
        } else {
            slot.requests.append(
                ChannelSlot.Request(.closeChannel) { [unowned self, unowned slot] _ in remove(slot) })
            list(slot)
        }
        script.finish(result)
    }

    private func makeSlot(_ id: UInt64, isInternal: Bool) -> ChannelSlot? {
        var number = 1
        while number <= numbered.count, numbered[number - 1] != nil { number += 1 }
        guard number <= Int(channelMaximum) else { return nil }
        let slot = ChannelSlot(id: id, number: UInt16(number), isInternal: isInternal)
        place(slot)
        return slot
    }

    func place(_ slot: ChannelSlot) {
        while numbered.count < Int(slot.number) { numbered.append(nil) }
        numbered[Int(slot.number) - 1] = slot
    }

    func slot(numbered number: UInt16) -> ChannelSlot? {
        number > 0 && Int(number) <= numbered.count ? numbered[Int(number) - 1] : nil
    }

    /// Forgets a channel. All calls that still wait for it fail with `error`.
    func remove(_ slot: ChannelSlot, because error: RabbitMQError = channelClosed) {
        guard slots[slot.id] === slot else { return }
        slots[slot.id] = nil
        if self.slot(numbered: slot.number) === slot { numbered[Int(slot.number) - 1] = nil }
        slot.phase = .idle
        if partial?.slot === slot { partial = nil }
        let script = slot.script
        slot.script = nil
        let (sent, unsent) = slot.takeRequests()
        for request in sent + unsent { request.finish(.failure(error)) }
        for request in slot.confirms.reset() { settle(request, .failure(error)) }
        for request in slot.waiting { drop(request, error) }
        slot.waiting = []
        for consuming in slot.consumers.values { consuming.core.end(.success(())) }
        slot.consumers = [:]
        slot.opened?.fail(error)
        slot.opened = nil
        for promise in slot.closing?.promises ?? [] { promise.resolve(.success(())) }
        slot.closing = nil
        script?.finish(.failure(error))
        if slot.isRestoring {
            slot.isRestoring = false
            restoredOne()
        }
    }

    /// Opens the channel and restores it: confirms, prefetches, consumers.
    func setUp(_ slot: ChannelSlot) {
        place(slot)
        slot.phase = .opening
        lastIncarnation += 1
        slot.incarnation = lastIncarnation
        slot.acknowledgements = AcknowledgementWindow()
        slot.assembler = ContentAssembler()
        adjust(slot)
        _ = slot.setup.removeAll()
        let incarnation = slot.incarnation
        func step(
            _ method: Method, preface: Method? = nil, _ failed: @escaping (RabbitMQError) -> Void = { _ in }
        ) {
            slot.setup.append(
                ChannelSlot.Request(method, preface: preface, isSetup: true) { [unowned self, unowned slot] result in
                    if case .failure(let error) = result { failed(error) }
                    guard slot.phase == .opening, slot.incarnation == incarnation else { return }
                    slot.setupLeft -= 1
                    if slot.setupLeft == 0 { opened(slot) }
                })
        }
        step(.openChannel)
        if !slot.isInternal { step(.selectConfirms) }
        for consumer in slot.consumers.values.map(\.core) {
            step(.consume(consumer), preface: .prefetch(consumer.prefetch)) { [unowned self, unowned slot] error in
                // After a lost connection the next one restores the consumer; after a refusal it ends.
                if [.connectionLost, .notConnected, .closed].contains(error.code) { return }
                logger.warning(
                    "consumer not restored",
                    metadata: ["queue": "\(consumer.queue)", "consumer": "\(consumer.tag)", "error": "\(error)"])
                slot.consumers[consumer.tag] = nil
                consumer.end(.failure(error))
            }
        }
        slot.setupLeft = slot.setup.count
        list(slot)
    }

    private func opened(_ slot: ChannelSlot) {
        slot.phase = .open
        if let promise = slot.opened {
            slot.opened = nil
            promise.resolve(.success(()))
        }
        if !slot.waiting.isEmpty {
            publishes.prepend(slot.waiting)
            slot.waiting = []
        }
        if slot.isRestoring {
            slot.isRestoring = false
            restoredOne()
        }
        list(slot)
    }

    private func giveUp(_ slot: ChannelSlot, _ error: RabbitMQError) {
        for consumer in slot.consumers.values { consumer.core.end(.failure(error)) }
        remove(slot, because: error)
    }

    private func refusal(
        of request: PublishRequest, _ closing: Frame.Closing, _ general: RabbitMQError
    ) -> RabbitMQError {
        RabbitMQError(
            LibraryStatus.code(ofRefusedPublish: closing.code),
            "publishing to exchange '\(request.exchange)' was refused: \(closing.text)", replyCode: closing.code,
            cause: general)
    }

    /// Handles that the broker closed a channel, for an error or by its own decision.
    func channelClosed(_ slot: ChannelSlot, _ closing: Frame.Closing) {
        urgent.append((.confirmChannelClosed, slot.number))
        let general = RabbitMQError(
            .channelClosed, "the broker closed the channel: \(closing.text)", replyCode: closing.code)
        func mapped(_ what: String) -> RabbitMQError {
            RabbitMQError(
                LibraryStatus.code(forReply: closing.code), "\(what) was refused: \(closing.text)",
                replyCode: closing.code, cause: general)
        }

        let first = slot.takeBackUnanswered()
        if partial?.slot === slot { partial = nil }
        let unconfirmed = slot.confirms.reset()
        let wasOpen = slot.phase == .open
        if wasOpen {
            // 404 answers the question whether a queue exists; the caller gets the answer.
            logger.log(
                level: closing.code == 404 ? .debug : .warning, "channel closed by broker",
                metadata: ["reply": "\(closing.code)", "reason": "\(closing.text)"])
            handOver()
            for consumer in slot.consumers.values {
                consumer.core.end(.failure(general))
            }
            slot.consumers = [:]
        }
        slot.phase = .idle

        if let first {
            let isCulprit = first.method.number == closing.method
            first.request.finish(.failure(isCulprit ? mapped(first.request.method.subject) : general))
        }
        // The broker does not say for which publish it closed the channel, and it may have taken earlier ones without
        // confirming them yet. So only a single unconfirmed publish counts as refused; with several, all are unknown.
        let isRefusal = closing.method == Method.publishNumber && unconfirmed.count == 1
        for entry in unconfirmed {
            settle(entry, .failure(isRefusal ? refusal(of: entry, closing, general) : general))
        }
        guard slots[slot.id] === slot else { return }
        if slot.closing?.isCloseAsked == true {
            remove(slot)
        } else if !wasOpen, first?.request.method.isConsume != true {
            // The channel cannot even be opened: further tries would never end.
            giveUp(slot, general)
        } else {
            setUp(slot)
        }
    }
}
