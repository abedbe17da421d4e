public import Foundation
public import Uploads

/// A question or request of `uploadctl` to the notifier's HTTP API.
public enum Inquiry: Sendable {
    public enum DelegateVerb: String, Sendable { case pause, resume, test }

    case jobs(JobFilter)
    case job(JobID)
    case failures(FailureChoice)
    case queues
    case queue(String)
    case delegates
    case delegate(DelegateVerb, String)
    case registration(DelegateOrder)
    /// Without times, the deliveries that were given up.
    case replay(delegate: String, from: Date?, to: Date?)
    /// The serial line of a queue; at most `limit` jobs.
    case line(QueueName, limit: Int)
    /// At most `limit` letters; without a status, those of every status.
    case deadLetters(DeadLetterFilter, DeadLetterStatus?, limit: Int)
    case deliveries(DeliveryChoice)
    case delivery(Int64)
    case replayDeliveries([Int64])
    case deadLetter(Int64)
    case replayLetters([Int64])
    case replayMatching(DeadLetterFilter, isConfirmed: Bool)
    case discard([Int64], isConfirmed: Bool)
    case destinations
    case workers
    case audit(AuditChoice)
    /// Writes the copy to a path on the notifier's host.
    case backUp(String)
    case watch(EventChoice)
    case wait(WaitChoice)
}
