public import Foundation

/// What comes to the notifier.
public enum NotifierMessage: Hashable, Sendable {
    /// A producer's job, as it went to its lane.
    /// - Parameter body: its text, if it is known: it need not be written anew to be kept.
    case job(UploadJob, maybeRepeated: Bool, body: Data? = nil)
    /// A worker's event; `suspect` carries the whole baton.
    /// - Parameter body: the same of this.
    case event(UploadEvent, body: Data? = nil)
    /// A marker of the notifier's own: everything confirmed before it has been read.
    case marker(IssueMarker)
    /// A job or a baton whose message ended in the dead-letter queue: treated like a suspect if a worker had begun it, and issued anew
    /// after a while if not.
    case deadBaton(Baton, DeathCause)
    /// An operator's order.
    /// - Parameter replyTo: the queue of whoever waits for an answer.
    case order(UploadOrder, replyTo: String?)
    /// What nobody can read: kept in the ledger with the reason, for an operator.
    /// - Parameter envelope: what is needed to publish it again.
    case unreadable(Data, reason: String, envelope: MessageEnvelope? = nil)
}
