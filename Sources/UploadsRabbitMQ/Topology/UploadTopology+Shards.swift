import RabbitMQ
public import Uploads

/// The queues of the shards.
extension UploadTopology {
    /// The prefix of the notifiers' queues.
    private var notifierPrefix: String { "\(namespace).notifier." }

    /// The queue of a shard: `<namespace>.notifier.<n>`. The notifiers take from it what the ledger has to record about the shard's jobs.
    public func notifier(_ shard: Int) -> String { "\(notifierPrefix)\(shard)" }

    /// The queue of a job's shard.
    public func notifier(of job: JobID) -> String { notifier(shards.shard(of: job)) }

    /// The queues of all shards.
    public var notifiers: [String] { shards.all.map { notifier($0) } }

    /// The shard of a queue; nil for the name of another queue.
    func shard(of queue: String?) -> Int? {
        guard let queue, queue.hasPrefix(notifierPrefix) else { return nil }
        return notifiers.firstIndex(of: queue)
    }

    /// An exchange to which nothing is published. Its name carries the number of shards, and the arguments of ``submit`` carry its name, so
    /// that the broker refuses the declaration of a program that is configured with another number.
    var shardMark: String { "\(namespace).shards.\(shards.count)" }

    /// The bindings that bring each message about a job to the queue of its shard. The only shard also gets messages whose keys end otherwise.
    func records(of exchange: String) -> [Binding] {
        shards.all.flatMap { shard in
            let keys = shards == .one ? ["#"] : shards.digits(of: shard).map { "#.\($0)" }
            return keys.map { Binding(source: exchange, destination: .queue(notifier(shard)), routingKey: $0) }
        }
    }
}

extension UploadTopology {
    /// The queue or the exchange for an order: the queue of a shard, or ``orders`` for an order about named jobs of several shards. An order
    /// with a filter goes to the first shard, which counts its jobs before it gives it to the others.
    func address(of order: UploadOrder) -> (exchange: String, routingKey: String) {
        let concerned = order.shards(of: shards)
        if case .matching = order.command { return ("", notifier(concerned.count == 1 ? concerned[0] : 0)) }
        return concerned.count == 1 ? ("", notifier(concerned[0])) : (orders, "")
    }

    /// The queue in which a message belongs.
    func queue(of message: NotifierMessage) -> String {
        if case .order(let order, _) = message { return notifier(order.shards(of: shards).first ?? 0) }
        return message.job.map { notifier(of: $0) } ?? notifier(0)
    }
}
