import RabbitMQ
import Uploads

extension NotifierMessage {
    /// What the notifier's own queue delivers.
    init(_ delivery: Delivery, from queue: String) {
        self.init(
            delivery.message,
            MessageEnvelope(
                delivery.message, queue: queue, exchange: delivery.exchange, routingKey: delivery.routingKey))
    }

    init(_ message: Message, _ envelope: @autoclosure () -> MessageEnvelope? = nil) {
        switch WireFormat.read(message) {
        case .job(let job):
            self = .job(job, maybeRepeated: WireFormat.isMaybeRepeated(message), body: message.body)
        case .event(let event): self = .event(event, body: message.body)
        case .marker(let marker): self = .marker(marker)
        case .order(let order): self = .order(order, replyTo: message.replyTo)
        case .baton, .control, .answer, .destination:
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

    /// What the dead-letter queue delivers.
    ///
    /// - Parameter notifierQueue: what died in the notifier's own queue is no baton that died in a lane, but a record that
    ///   is still owed.
    init(dead delivery: Delivery, notifierQueue: String) {
        self.init(
            dead: delivery.message, notifierQueue: notifierQueue,
            MessageEnvelope(dead: delivery.message, exchange: delivery.exchange, routingKey: delivery.routingKey))
    }

    init(
        dead message: Message, notifierQueue: String, _ envelope: @autoclosure () -> MessageEnvelope? = nil
    ) {
        let death = message.headers["x-death"]?.array?.first?.table
        let isOwed = death?["queue"]?.string == notifierQueue
        let reason =
            message.headers[WireFormat.reasonHeader]?.string
            ?? death.map(Self.reason) ?? "no lane takes it: its transfer queue does not exist"
        switch WireFormat.read(message) {
        case .job(let job):
            self =
                isOwed
                ? .job(job, maybeRepeated: WireFormat.isMaybeRepeated(message), body: message.body)
                : .deadBaton(Baton(job: job), reason: reason)
        case .baton(let baton): self = .deadBaton(baton, reason: reason)
        case .event(let event): self = .event(event, body: message.body)
        case .marker(let marker): self = .marker(marker)
        // It was read too often by a notifier that then went away: nobody waits for the answer any more.
        case .order(let order) where isOwed: self = .order(order, replyTo: nil)
        case .control, .order, .answer, .destination, .newer:
            self = .unreadable(message.body, reason: reason, envelope: envelope())
        case .unreadable(let problem):
            self = .unreadable(
                message.body, reason: message.headers[WireFormat.reasonHeader]?.string ?? problem,
                envelope: envelope())
        }
    }

    private static func reason(_ death: Table) -> String {
        switch death["reason"]?.string {
        case "delivery_limit": "it was delivered \(UploadTopology.deliveryLimit) times and never settled"
        case "expired": "no lane takes it after its wait: its transfer queue does not exist"
        case "rejected": "it was rejected"
        case let word?: "the broker gave it up (\(word))"
        case nil: "the broker gave it up"
        }
    }
}
