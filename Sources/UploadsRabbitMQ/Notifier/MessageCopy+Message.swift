import Foundation
import RabbitMQ
import Uploads

extension MessageCopy {
    /// A message of the notifier's queue as it came, or, if only its meaning is known, as it would be published again.
    init(_ message: NotifierMessage, _ topology: UploadTopology) {
        let queue = topology.queue(of: message)
        switch message {
        case .job(let job, let maybeRepeated, let body):
            self.init(body, WireType.jobText, job.id, queue) { () throws(UploadError) in
                try WireFormat.message(job: job, maybeRepeated: maybeRepeated)
            }
        case .event(let event, let body):
            self.init(body, event.kind.type, event.job.id, queue) { () throws(UploadError) in
                try WireFormat.message(event: event)
            }
        case .marker(let marker):
            self.init(nil, WireType.markerText, marker.job, queue) { () throws(UploadError) in
                try WireFormat.message(marker: marker)
            }
        case .deadBaton(let baton, _):
            self.init(nil, WireType.batonText, baton.job.id, queue) { () throws(UploadError) in
                try WireFormat.message(baton: baton)
            }
        case .order(let order, let replyTo):
            self.init(nil, WireType.orderText, nil, queue) { () throws(UploadError) in
                try WireFormat.message(order: order, replyTo: replyTo)
            }
        case .unreadable(let body, _, let envelope):
            self.init(body: body, envelope: envelope ?? MessageEnvelope(queue: queue))
        }
    }

    /// - Parameter body: the original bytes, if they are known.
    private init(
        _ body: Data?, _ type: String, _ job: JobID?, _ queue: String,
        write: () throws(UploadError) -> Message
    ) {
        do throws(UploadError) {
            let message = try write()
            self.init(
                body: body ?? message.body,
                envelope: MessageEnvelope(message, queue: queue, exchange: "", routingKey: queue))
        } catch {
            // Without a body the message cannot be published again.
            self.init(
                body: body ?? Data(error.message.utf8),
                envelope: MessageEnvelope(
                    type: type, messageID: job?.rawValue, queue: queue, isRedacted: body == nil))
        }
    }
}
