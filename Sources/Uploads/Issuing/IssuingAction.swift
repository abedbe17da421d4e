/// An action that follows from a message. First the ledger notes all of them in one transaction, then those that are
/// publications are published from that note.
public enum IssuingAction: Hashable, Sendable {
    /// Keep the event. Its id makes repeats harmless.
    case record(UploadEvent)
    /// Publish a marker to the notifier's own queue.
    case mark(IssueMarker)
    /// Publish a baton. `maybeRepeated` is set when the publication is repeated from the ledger's note.
    case issue(Baton, lane: Lane, maybeRepeated: Bool)
    /// Append to the control log: fences, pauses, lifts.
    case append(ControlEntry)
    /// The round's outcome, under `<job>.<round>.ended`: put it into every delegate's outbox and publish it.
    case outcome(UploadEvent)
    /// Nothing to do; says why.
    case note(IssuingNote)

    /// Whether the action is published: the ledger notes it until the broker confirms it.
    package var isPublication: Bool {
        switch self {
        case .mark, .issue, .append, .outcome: true
        case .record, .note: false
        }
    }

    /// Rule 2: suspects are not worked on. The action as it is repeated from the ledger's note. The first try may have
    /// arrived, so a repeated baton is flagged.
    public var repeated: IssuingAction {
        if case .issue(let baton, let lane, _) = self { .issue(baton, lane: lane, maybeRepeated: true) } else { self }
    }

    /// Whether an action that was noted and not confirmed still has to be repeated, by the job's present state. A baton
    /// is not published once more if its round is over (unless it only removes the staged copy) or a later generation
    /// counts.
    /// - Parameter job: nil if the ledger knows it no longer, or if the note is about no single job.
    public func isNeeded(for job: LedgerJob?) -> Bool {
        guard let job else { if case .append = self { return true } else { return false } }
        return switch self {
        case .issue(let baton, _, _): (job.end != nil) == baton.onlyRemovesCopy && baton.generation == job.generation
        case .mark(let marker): job.wish?.marker.id == marker.id
        case .append, .outcome: true
        case .record, .note: false
        }
    }
}
