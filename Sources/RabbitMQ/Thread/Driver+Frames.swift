import Logging

extension Driver {
    /// How many frames are read before commands and sending have their turn again.
    private static let framesMaximum = 4096

    /// Reads the frames that have come. - Returns: whether there may be more.
    func readFrames(_ link: Link) throws(RabbitMQError) -> Bool {
        for _ in 0..<Self.framesMaximum {
            guard let frame = try link.next() else { return false }
            try handle(frame, link)
        }
        return true
    }

    /// Hands the deliveries to their readers, an array for each. Only once the epoch has begun: a reader may ask for
    /// it.
    func handOver() {
        guard unrestored == nil else { return }
        for consuming in touched {
            let batch = consuming.batch
            consuming.batch = []
            consuming.core.deliver(batch)
        }
        touched.removeAll(keepingCapacity: true)
    }

    private func handle(_ frame: Frame, _ link: Link) throws(RabbitMQError) {
        switch frame {
        case .content(let channel, let start):
            guard let slot = slot(numbered: channel) else { return link.release(channel) }
            try slot.assembler.begin(start)
        case .header(let channel, let message, let bodyBytes):
            guard let slot = slot(numbered: channel) else { return link.release(channel) }
            if let content = try slot.assembler.header(message, bodyBytes: bodyBytes) {
                take(content, slot)
                link.release(channel)
            }
        case .body(let channel, let bytes):
            if let slot = slot(numbered: channel), let content = try slot.assembler.body(bytes) { take(content, slot) }
            link.release(channel)
        case .confirm(let channel, let tag, let multiple, let isNegative):
            slot(numbered: channel)?.confirms.confirm(tag, multiple: multiple, isNegative: isNegative) {
                entry, answer in
                settle(entry, answer.result(for: entry))
            }
            link.release(channel)
        case .answer(let channel, let answer):
            try self.answer(answer, channel)
            link.release(channel)
        case .consumerCancelled(let channel, let tag, let wantsAnswer):
            if let slot = slot(numbered: channel) { consumerCancelled(tag, slot, wantsAnswer) }
            link.release(channel)
        case .channelClosed(let channel, let closing):
            if let slot = slot(numbered: channel) {
                channelClosed(slot, closing)
            } else {
                urgent.append((.confirmChannelClosed, channel))
            }
            link.release(channel)
        case .connectionClosed(let closing):
            // Only a courtesy: the broker has closed already, and its own error is the one to report.
            try? link.send(.confirmConnectionClosed, channel: 0)
            throw RabbitMQError(
                .connectionLost, "the broker closed the connection: \(closing.text)", replyCode: closing.code)
        case .connectionCloseConfirmed:
            isCloseConfirmed = true
        case .blocked(let reason):
            isBlocked = true
            core.states.publish(.blocked(reason: reason))
            logger.warning("broker takes no messages", metadata: ["reason": "\(reason)"])
            link.release(0)
        case .unblocked:
            isBlocked = false
            core.states.publish(.unblocked)
            logger.info("broker takes messages again")
            link.release(0)
        case .ignored:
            break
        }
    }

    private func take(_ content: ContentAssembler.Content, _ slot: ChannelSlot) {
        switch content.start {
        case .delivery(let consumerTag, let tag, let redelivered, let exchange, let routingKey):
            slot.acknowledgements.delivered(tag)
            let offset = content.message.streamOffset
            guard let consuming = slot.consumers[consumerTag] else {
                // No reader could ever settle it.
                slot.acknowledgements.reject(tag, requeue: true)
                return list(slot)
            }
            if let offset, let first = consuming.core.resumeOffset, offset < first {
                slot.acknowledgements.acknowledge(tag, at: .now)
                return list(slot)
            }
            if consuming.batch.isEmpty { touched.append(consuming) }
            consuming.batch.append(
                Delivery(
                    message: content.message, exchange: exchange, routingKey: routingKey, consumerTag: consumerTag,
                    tag: tag, redelivered: redelivered, epoch: currentEpoch, streamOffset: offset,
                    incarnation: slot.incarnation))
        case .got(let tag, let redelivered, let exchange, let routingKey):
            slot.acknowledgements.delivered(tag)
            guard let awaited = slot.awaited.first, case .get = awaited.method else { return }
            _ = slot.awaited.popFirst()
            let delivery = Delivery(
                message: content.message, exchange: exchange, routingKey: routingKey, consumerTag: "", tag: tag,
                redelivered: redelivered, epoch: currentEpoch, streamOffset: content.message.streamOffset,
                incarnation: slot.incarnation)
            awaited.request.finish(.success(Frame.Answer(method: 0, delivery: delivery)))
        case .returned(let code, let text, let exchange, let routingKey):
            let isKnown = slot.confirms.markReturned(code: code, text: text) {
                $0.isIndistinguishable(from: content.message, exchange: exchange, routingKey: routingKey)
            }
            if !isKnown { logger.error("a message came back that was not published", metadata: ["reply": "\(code)"]) }
        }
    }

    private func answer(_ answer: Frame.Answer, _ channel: UInt16) throws(RabbitMQError) {
        guard let slot = slot(numbered: channel) else { return }
        try slot.assembler.checkIdle()
        guard let awaited = slot.awaited.first, awaited.method.answer == answer.method else {
            throw RabbitMQError(
                .frameError, "the broker sent an answer (\(answer.method)) that nothing asked for")
        }
        _ = slot.awaited.popFirst()
        // This method may have held others back.
        list(slot)
        if !awaited.isPreface { awaited.request.finish(.success(answer)) }
    }

    private func consumerCancelled(_ tag: String, _ slot: ChannelSlot, _ wantsAnswer: Bool) {
        if wantsAnswer { urgent.append((.confirmConsumerCancelled(consumerTag: tag), slot.number)) }
        handOver()
        guard let consuming = slot.consumers.removeValue(forKey: tag) else { return }
        let queue = consuming.core.queue
        logger.warning("consumer cancelled by broker", metadata: ["queue": "\(queue)", "consumer": "\(tag)"])
        consuming.core.end(
            .failure(
                RabbitMQError(
                    .consumerCancelled,
                    "the broker cancelled the consumer of queue '\(queue)', which was deleted or moved: consume again"))
        )
    }
}

extension Message {
    fileprivate var streamOffset: UInt64? {
        headers.isEmpty ? nil : headers["x-stream-offset"]?.integer.flatMap(UInt64.init(exactly:))
    }
}

extension ConfirmWindow.Answer {
    fileprivate func result(for request: PublishRequest) -> Result<Void, RabbitMQError> {
        let target = "exchange '\(request.exchange)' with routing key '\(request.routingKey)'"
        switch self {
        case .acknowledged: return .success(())
        case .nacked:
            return .failure(
                RabbitMQError(
                    .nacked, "the broker did not take the message for \(target): a queue is full or failed; try again"))
        case .returned(let code, let text):
            return .failure(
                RabbitMQError(
                    .returned, "no queue gets what is published to \(target) (\(text)): declare and bind one first",
                    replyCode: code))
        }
    }
}
