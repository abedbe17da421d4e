public import Foundation
public import Uploads

/// What `uploadctl` asks of the notifier's HTTP API.
public enum Inquiry: Sendable {
    public enum DelegateVerb: String, Sendable { case pause, resume, test }

    case jobs(JobFilter)
    case job(JobID)
    case queues
    case queue(String)
    case delegates
    case delegate(DelegateVerb, String)
    case registration(DelegateOrder)
    /// With no times, what was given up.
    case replay(delegate: String, from: Date?, to: Date?)
    /// The serial line of a queue; at most so many.
    case line(QueueName, limit: Int)
    /// At most so many; with no status, all.
    case deadLetters(DeadLetterFilter, DeadLetterStatus?, limit: Int)
    case deliveries(DeliveryChoice)
    case delivery(Int64)
    case replayDeliveries([Int64])
    case deadLetter(Int64)
    case replayLetters([Int64])
    case replayMatching(DeadLetterFilter, isConfirmed: Bool)
    case discard([Int64], isConfirmed: Bool)
    case destinations
    /// To a path on the notifier's host.
    case backUp(String)
    case watch(EventChoice)
}
