import RabbitMQ
import Uploads

extension NotifierMessage {
    /// Reads a delivery of the notifier's own queue.
    init(_ delivery: Delivery, from queue: String) {
        self.init(
            delivery.message,
            MessageEnvelope(
                delivery.message, queue: queue, exchange: delivery.exchange, routingKey: delivery.routingKey))
    }

    init(_ message: Message, _ envelope: @autoclosure () -> MessageEnvelope? = nil) {
        let cause = WireFormat.deathCause(of: message)
        switch WireFormat.read(message) {
        case .job(let job):
            self =
                cause.map { .deadBaton(Baton(job: job), $0) }
                ?? .job(job, maybeRepeated: WireFormat.isMaybeRepeated(message), body: message.body)
        case .event(let event): self = .event(event, body: message.body)
        case .marker(let marker): self = .marker(marker)
        case .order(let order): self = .order(order, replyTo: message.replyTo)
        case .baton(let baton) where cause != nil: self = .deadBaton(baton, cause ?? .noLane)
        case .baton, .control, .answer, .destination, .worker:
            self = .unreadable(
                message.body, reason: "'\(message.type ?? "")' does not belong into the notifier's queue",
                envelope: envelope())
        case .newer(let type):
            self = .unreadable(
                message.body,
                reason: "\(type) was written by a newer version: update the notifier, then publish it again",
                envelope: envelope())
        case .unreadable(let reason): self = .unreadable(message.body, reason: reason, envelope: envelope())
        }
    }

    /// Reads a delivery of the dead-letter queue.
    ///
    /// - Parameter topology: tells the two origins apart. A message that died in the notifier's own queue is not a
    ///   baton that died in a lane, but a record that the notifier still has to write.
    init(dead delivery: Delivery, _ topology: UploadTopology) {
        self.init(
            dead: delivery.message, topology,
            MessageEnvelope(dead: delivery.message, exchange: delivery.exchange, routingKey: delivery.routingKey))
    }

    init(
        dead message: Message, _ topology: UploadTopology, _ envelope: @autoclosure () -> MessageEnvelope? = nil
    ) {
        let death = message.headers["x-death"]?.array?.first?.table
        let isOwed = topology.shard(of: death?["queue"]?.string) != nil
        let told = message.headers[WireFormat.reasonHeader]?.string.flatMap { reason in
            reason.isEmpty ? nil : reason.utf8Prefix(WireFormat.reasonBytesMaximum)
        }
        let cause = told.map { .other($0) } ?? death.map { DeathCause($0, topology) } ?? .noLane
        let reason = cause.reason
        switch WireFormat.read(message) {
        case .job(let job):
            self =
                isOwed
                ? .job(job, maybeRepeated: WireFormat.isMaybeRepeated(message), body: message.body)
                : .deadBaton(Baton(job: job), cause)
        case .baton(let baton): self = .deadBaton(baton, cause)
        case .event(let event): self = .event(event, body: message.body)
        case .marker(let marker): self = .marker(marker)
        // It was delivered too often to notifiers that then stopped: its asker does not wait for the answer any more.
        case .order(let order) where isOwed: self = .order(order, replyTo: nil)
        case .control, .order, .answer, .destination, .worker, .newer:
            self = .unreadable(message.body, reason: reason, envelope: envelope())
        case .unreadable(let problem):
            self = .unreadable(
                message.body, reason: told ?? problem,
                envelope: envelope())
        }
    }
}

extension DeathCause {
    /// How many bytes of the message's own statement about its death are kept: any program may write such a header.
    private static let textBytesMaximum = 300

    /// Reads the broker's record of a message's last death (https://www.rabbitmq.com/docs/dlx#effects).
    init(_ death: Table, _ topology: UploadTopology) {
        let queue = (death["queue"]?.string ?? "").utf8Prefix(Self.textBytesMaximum)
        // The message has waited on the ladder, and there was no lane at its foot.
        guard !topology.isDelayLevel(queue) else {
            self = .noLane
            return
        }
        self =
            switch death["reason"]?.string {
            case "delivery_limit": .deliveryLimit
            case "expired": .expired(queue: queue)
            case "maxlen": .overflowed(queue: queue)
            case "rejected": .other("a program other than a worker has rejected it from queue '\(queue)'")
            case let word?: .other("the broker gave it up (\(word.utf8Prefix(Self.textBytesMaximum)))")
            case nil: .other("the broker gave it up")
            }
    }
}
