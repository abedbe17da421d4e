public import Foundation

/// Something that happened to a job: a CloudEvent 1.0 in structured JSON mode.
///
/// Its data is redacted: no inline bytes, no query of a URL. The one exception is `suspect`, which goes to the
/// notifier's queue alone and carries the baton whole, because the job may have to be issued anew from it.
public struct UploadEvent: Hashable, Sendable {
    /// `<job>.<round>.<generation>.<slice>.<kind>`, or `<job>.<round>.ended` for the outcome that the notifier
    /// publishes. Consumers recognise repeats by it.
    public var id: String
    public var kind: EventKind
    public var time: Date
    public var data: EventData
    /// Of the job's message, if that had one.
    public var trace: TraceParent?

    public init(id: String, kind: EventKind, time: Date, data: EventData, trace: TraceParent? = nil) {
        self.id = id
        self.kind = kind
        self.time = time
        self.data = data
        self.trace = trace
    }

    /// An event about a baton, such as a worker publishes (`SettlementPublisher`) or an upload manager without a broker makes.
    public init(kind: EventKind, of baton: Baton, at time: Date) {
        self.init(
            id: "\(baton.job.id).\(baton.round).\(baton.generation).\(baton.slice).\(kind.rawValue)",
            kind: kind, time: time, data: EventData(kind == .suspect ? baton : baton.redacted))
    }

    /// The event by which a worker reports the end of a round.
    public init(outcome: Outcome, of baton: Baton, at time: Date) {
        switch outcome {
        case .completed(let object, let response):
            self.init(kind: .completed, of: baton, at: time)
            data.object = object
            data.response = response
        case .failed(let error, _):
            self.init(kind: .failed, of: baton, at: time)
            data.error = error
            data.response = error.response
        case .cancelled:
            self.init(kind: .cancelled, of: baton, at: time)
        }
        data.endedAt = time
    }

    /// The outcome as the notifier publishes it. Its readers can resume the upload only by asking for another round, so
    /// the state is shown without credentials.
    public var told: UploadEvent {
        var event = asOutcome
        event.data.baton.state = data.baton.state?.shown
        return event
    }

    /// The same event under the id of the one outcome of a round.
    public var asOutcome: UploadEvent {
        var event = self
        event.id = "\(job.id).\(data.baton.round).ended"
        return event
    }

    @inlinable public var job: UploadJob { _read { yield data.baton.job } }

    /// CloudEvents `source`.
    public var source: String { "/queues/\(job.queue)" }

    /// `<kind>.<queue>.<destination>.<digit>`, with the last digit of the job's id (``Shards``).
    public var routingKey: String {
        "\(kind.rawValue).\(job.queue).\(job.destination.label).\(job.id.digitText)"
    }
}
