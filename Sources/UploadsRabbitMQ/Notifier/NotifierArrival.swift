import Foundation
import RabbitMQ
import Uploads

/// What a notifier does with a message in the queue of a shard: it is for this shard, for another one, or for none.
enum NotifierArrival: Hashable {
    case record(NotifierMessage)
    /// A publisher has chosen another shard than that of the job, or the order is about jobs of several shards: the message is published once
    /// more.
    /// - Parameter cause: of a job or baton that is a dead letter.
    case forward(exchange: String, routingKey: String, cause: DeathCause? = nil)
    /// An order of which this shard has no part.
    case drop

    /// - Parameter exchange: the exchange to which the message was published.
    init(_ message: NotifierMessage, in shard: Int, from exchange: String, _ topology: UploadTopology) {
        self = .record(message)
        guard topology.shards != .one else { return }
        switch message {
        case .order(let order, let replyTo):
            let concerned = order.shards(of: topology.shards)
            if exchange == topology.orders {
                self =
                    order.part(shard, of: topology.shards).map { .record(.order($0, replyTo: replyTo)) } ?? .drop
            } else if order.command.named != nil, concerned != [shard] {
                let (exchange, routingKey) = topology.address(of: order)
                self = .forward(exchange: exchange, routingKey: routingKey)
            }
        case .job, .event, .marker, .deadBaton:
            guard let job = message.job else { return }
            if let refusal = message.refusal(topology.shards) {
                self = .record(refusal)
            } else if topology.shards.shard(of: job) != shard {
                self = .forward(exchange: "", routingKey: topology.notifier(of: job))
            }
        case .unreadable: break
        }
    }
}

extension NotifierArrival {
    /// Reads a delivery of the dead-letter queue.
    /// - Parameter read: the shards of which this notifier decides.
    init(dead delivery: Delivery, _ topology: UploadTopology, read: Set<Int>) {
        let message = NotifierMessage(dead: delivery, topology)
        let death = delivery.message.headers["x-death"]?.array?.first?.table
        if case .order = message, let shard = topology.shard(of: death?["queue"]?.string) {
            self.init(message, in: shard, from: death?["exchange"]?.string ?? "", topology)
        } else if let job = message.job, !read.contains(topology.shards.shard(of: job)) {
            let cause: DeathCause? = if case .deadBaton(_, let cause) = message { cause } else { nil }
            self = .forward(exchange: "", routingKey: topology.notifier(of: job), cause: cause)
        } else {
            self = .record(message)
        }
    }
}

extension NotifierMessage {
    /// The dead letter in place of a message about a job of a serial line whose id has not the line's digit: the line is in another shard,
    /// and no transaction could end the job and release the next one.
    fileprivate func refusal(_ shards: Shards) -> NotifierMessage? {
        let (job, body): (UploadJob, Data?)
        switch self {
        case .job(let order, _, let text): (job, body) = (order, text)
        case .event(let event, let text): (job, body) = (event.job, text)
        case .marker, .order, .deadBaton, .unreadable: return nil
        }
        guard job.serial != nil, shards.shard(of: job.id) != shards.shard(of: job.id.inLine(of: job.queue)) else {
            return nil
        }
        return .unreadable(
            body ?? Data(),
            reason:
                "the id of a job in the serial line of queue '\(job.queue)' must end in \(job.queue.lineDigit), and this one is "
                + "\(job.id): enqueue it under such an id",
            envelope: MessageEnvelope(messageID: job.id.rawValue))
    }
}
