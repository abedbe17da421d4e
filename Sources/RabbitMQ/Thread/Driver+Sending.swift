extension Driver {
    func enqueue(_ request: PublishRequest) {
        guard let slot = usable(request.channel) else { return drop(request, Self.channelClosed) }
        if let epoch = request.epoch, epoch != currentEpoch {
            drop(request, RabbitMQError(.notConnected, "the connection's epoch \(epoch) is over; nothing was sent"))
            return
        }
        slot.queuedPublishes += 1
        publishes.append(request)
    }

    /// Fails a publish that never began to be sent.
    func drop(_ request: PublishRequest, _ error: RabbitMQError) {
        if request.promise == nil { core.inbox.postDone(request) }
        request.promise?.fail(error)
    }

    /// Settles a publish that was sent.
    func settle(_ request: PublishRequest, _ result: Result<Void, RabbitMQError>) {
        request.promise?.resolve(result)
    }

    func hasSomethingToSend(_ now: ContinuousClock.Instant) -> Bool {
        if !urgent.isEmpty || partial != nil { return true }
        if !publishes.isEmpty, !isBlocked { return true }
        return listed.contains { $0.hasRequest || $0.acknowledgements.isDue(at: now) }
    }

    /// Sends as much as the socket takes without waiting.
    func send(_ link: Link) throws(RabbitMQError) {
        var room = link.sendBytesMaximum
        link.cork(true)
        defer { link.cork(false) }
        while let (method, channel) = urgent.popFirst() {
            try link.send(method, channel: channel)
        }
        try sendMethods(link, &room)
        try sendPublishes(link, &room)
    }

    private func sendMethods(_ link: Link, _ room: inout Int) throws(RabbitMQError) {
        let now = ContinuousClock.now
        let slots = listed
        listed = []
        for slot in slots {
            slot.isListed = false
            guard slot.phase != .idle else { continue }
            // A method between the frames of a content would be a protocol error on its channel.
            guard partial?.slot !== slot, room > 0 else {
                list(slot)
                continue
            }
            try sendMethods(of: slot, link, now, &room)
            if !slot.acknowledgements.isClean || slot.hasRequest { list(slot) }
        }
    }

    private func sendMethods(
        of slot: ChannelSlot, _ link: Link, _ now: ContinuousClock.Instant, _ room: inout Int
    ) throws(RabbitMQError) {
        repeat {
            let request = slot.takeNext()
            // All settlements must be sent before the channel is closed.
            let isClosing = if case .closeChannel? = request?.method { true } else { false }
            for instruction in slot.acknowledgements.flush(at: now, isFinal: isClosing) {
                switch instruction {
                case .acknowledge(let tag, let multiple):
                    try link.send(.acknowledge(tag, multiple: multiple), channel: slot.number)
                case .reject(let tag, let requeue):
                    try link.send(.reject(tag, requeue: requeue), channel: slot.number)
                }
                room -= 32
            }
            guard let request else { return }
            do throws(RabbitMQError) {
                if let preface = request.preface {
                    try link.send(preface, channel: slot.number)
                    slot.awaited.append(ChannelSlot.Awaited(method: preface, request: request, isPreface: true))
                }
                try link.send(request.method, channel: slot.number)
                slot.awaited.append(ChannelSlot.Awaited(method: request.method, request: request, isPreface: false))
                room -= 1024
            } catch  where error.code == .invalidArgument {
                request.finish(.failure(error))
            }
        } while room > 0
    }

    private func sendPublishes(_ link: Link, _ room: inout Int) throws(RabbitMQError) {
        while room > 0 {
            if partial == nil {
                if isBlocked { return }
                guard let request = publishes.popFirst() else { return }
                try begin(request, link, &room)
                continue
            }
            try goOn(link, &room)
        }
    }

    private func begin(_ request: PublishRequest, _ link: Link, _ room: inout Int) throws(RabbitMQError) {
        guard let slot = slots[request.channel] else { return drop(request, Self.channelClosed) }
        guard slot.phase == .open else {
            slot.waiting.append(request)
            return
        }
        slot.queuedPublishes -= 1
        if request.promise?.isResolved == true { return }
        let headerBytes = request.message.headerBytes
        guard headerBytes <= link.payloadBytesMaximum else {
            drop(
                request,
                RabbitMQError(
                    .invalidArgument,
                    "the message's headers take \(headerBytes) bytes, and \(link.payloadBytesMaximum) fit in a frame: "
                        + "put them into the body"))
            return
        }
        if request.promise == nil { core.inbox.postDone(request) }
        slot.confirms.append(request)
        room -= headerBytes + (try link.sendPublish(request, channel: slot.number))
        if !request.message.body.isEmpty { partial = PartialPublish(slot: slot, request: request) }
    }

    private func goOn(_ link: Link, _ room: inout Int) throws(RabbitMQError) {
        guard var publish = partial else { return }
        let body = publish.request.message.body
        let left = body.count - publish.offset
        // A small rest goes out whole, even if it takes a little more than the room.
        let count = min(left, link.payloadBytesMaximum, max(room, 4096))
        try link.sendBody(body, from: publish.offset, count: count, channel: publish.slot.number)
        room -= count + 8
        publish.offset += count
        partial = publish.offset == body.count ? nil : publish
        if partial == nil, publish.slot.hasRequest || !publish.slot.acknowledgements.isClean { list(publish.slot) }
    }
}
