import Foundation
import RabbitMQ
import Uploads

/// The address for publishing a dead letter again: by its content, if that is readable now, else by its origin.
///
/// Jobs and batons go out flagged as maybe repeated, so the notifier decides about them by its ledger: even if another
/// copy of the message was processed meanwhile, no job is uploaded twice.
struct DeadLetterRoute: Hashable, Sendable {
    var exchange: String
    /// For the exchange of the lanes: `<queue>.<lane>`, the end of the name of the lane's queue.
    var routingKey: String
    /// The transfer queue whose lanes must exist.
    var lanes: QueueName?
    var flagsRepeats: Bool

    /// - Throws: `rejected`, with a remedy, for a letter that cannot be published again.
    init(_ letter: UnreadableMessage, _ topology: UploadTopology) throws(UploadError) {
        func refuse(_ why: String) -> UploadError { UploadError(.rejected, "dead letter \(letter.id) \(why)") }
        guard let envelope = letter.envelope else {
            throw refuse(
                "was recorded by an earlier version, which kept neither its type nor where it came from; enqueue the "
                    + "upload again, then discard it")
        }
        guard !envelope.isRedacted else {
            throw refuse(
                "is kept without its secrets, for people to look at; enqueue the upload again, then discard it")
        }
        guard letter.isWhole else {
            throw refuse(
                "has \(letter.size) bytes, of which the first \(UnreadableMessage.bodyBytesMaximum) are kept; let its "
                    + "producer publish it again")
        }
        let message = envelope.message(letter.body)
        switch (WireType(envelope.type), WireFormat.read(message)) {
        case (.control, _):
            throw refuse("is a control entry: a late one would undo what was decided since; give the order again")
        case (.answer, _): throw refuse("is an answer to an order: its asker has stopped waiting; discard it")
        case (.destination, _):
            throw refuse("is an old report of a worker about a destination: of no use now; discard it")
        case (.worker, _):
            throw refuse("is an old report of a worker about itself: of no use now; discard it")
        case (_, .order(let order)):
            let (exchange, key) = topology.address(of: order)
            self.init(exchange: exchange, routingKey: key, lanes: nil, flagsRepeats: false)
        case (.event, _), (.marker, _), (.order, _): self.init(toNotifierFor: envelope, topology)
        case (_, .job(let job)) where job.serial != nil: self.init(toNotifierFor: envelope, topology)
        case (_, .job(let job)):
            self.init(
                exchange: topology.submit, routingKey: topology.laneKey(job.queue, job.priority, job.id),
                lanes: job.queue,
                flagsRepeats: true)
        case (_, .baton(let baton)):
            let lane = baton.state == nil ? baton.job.priority : .continued
            self.init(
                exchange: topology.jobs, routingKey: "\(baton.job.queue).\(lane.rawValue)", lanes: baton.job.queue,
                flagsRepeats: true)
        default:
            guard let origin = DeadLetterRoute(origin: envelope, topology) else {
                throw refuse(
                    "does not say where it came from, and cannot be read: where it belongs is not known; let "
                        + "its producer publish it again, then discard it")
            }
            self = origin
        }
    }

    private init(exchange: String, routingKey: String, lanes: QueueName?, flagsRepeats: Bool) {
        self.exchange = exchange
        self.routingKey = routingKey
        self.lanes = lanes
        self.flagsRepeats = flagsRepeats
    }

    /// To the shard of the job that the message names, or else back to the shard from which it came.
    private init(toNotifierFor envelope: MessageEnvelope, _ topology: UploadTopology) {
        let shard =
            envelope.messageID.flatMap { JobID($0) }.map(topology.shards.shard(of:))
            ?? topology.shard(of: envelope.queue)
        self.init(exchange: "", routingKey: topology.notifier(shard ?? 0), lanes: nil, flagsRepeats: false)
    }

    /// Back to its origin. A header names it, and any program can write a header: only this namespace's own names are
    /// accepted.
    private init?(origin: MessageEnvelope, _ topology: UploadTopology) {
        let key = origin.routingKey ?? ""
        let isOfLadder = origin.queue.map { topology.isDelayLevel($0) } ?? false
        if topology.shard(of: origin.queue) != nil {
            if origin.exchange == topology.submit {
                self.init(exchange: topology.submit, routingKey: key, lanes: nil, flagsRepeats: true)
            } else {
                self.init(toNotifierFor: origin, topology)
            }
        } else if let queue = origin.queue, queue.hasPrefix(topology.jobs + ".") {
            self.init(
                exchange: topology.jobs, routingKey: String(queue.dropFirst(topology.jobs.count + 1)), lanes: nil,
                flagsRepeats: true)
        } else if isOfLadder || origin.exchange == topology.due {
            // The bits of its delay come before the key of its lane. An earlier version wrote keys without a digit.
            var words = key.split(separator: ".")
            if let last = words.last, Lane(rawValue: String(last)) == nil { words.removeLast() }
            guard words.count > 2 else { return nil }
            self.init(
                exchange: topology.jobs, routingKey: words.suffix(2).joined(separator: "."), lanes: nil,
                flagsRepeats: true)
        } else {
            return nil
        }
    }

    /// For people: `the lane default.normal`.
    func text(_ topology: UploadTopology) -> String {
        switch exchange {
        case "", topology.orders: "the notifier's queue"
        case topology.submit:
            "the lane \(routingKey.split(separator: ".").prefix(2).joined(separator: ".")) and the notifier's queue"
        default: "the lane \(routingKey)"
        }
    }
}
