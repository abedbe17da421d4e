import Synchronization
import Tracing

/// A span. It is recorded if its trace is sampled; otherwise it only has a place in its trace.
final class RecordedSpan: Span {
    struct Record: Sendable {
        let place: SpanContext
        let parent: SpanContext?
        let kind: SpanKind
        /// Nanoseconds since 1970.
        let beganAt: UInt64
        var endedAt: UInt64 = 0
        var name: String
        var attributes: SpanAttributes = [:]
        var status: SpanStatus?
        var events: [SpanEvent] = []
        var links: [SpanLink] = []
        /// What the limits kept out.
        var droppedEvents = 0
        var droppedLinks = 0
    }

    struct Limits: Sendable {
        var events: Int
        var links: Int
    }

    let context: ServiceContext
    /// nil once the span has ended, and for one that is not recorded.
    private let record: Mutex<Record?>
    private let limits: Limits
    private let finish: @Sendable (Record) -> Void

    /// - Parameter finish: takes the record when the span ends.
    init(_ record: Record?, context: ServiceContext, _ limits: Limits, finish: @escaping @Sendable (Record) -> Void) {
        self.record = Mutex(record)
        self.context = context
        self.limits = limits
        self.finish = finish
    }

    var isRecording: Bool { record.withLock { $0 != nil } }

    var operationName: String {
        get { record.withLock { $0?.name ?? "" } }
        set { record.withLock { $0?.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { record.withLock { $0?.attributes ?? [:] } }
        set { record.withLock { $0?.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) { record.withLock { $0?.status = status } }

    func addEvent(_ event: SpanEvent) {
        record.withLock { record in
            guard let count = record?.events.count else { return }
            if count < limits.events { record?.events.append(event) } else { record?.droppedEvents += 1 }
        }
    }

    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = String(reflecting: type(of: error))
        attributes["exception.message"] = String(describing: error)
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    func addLink(_ link: SpanLink) {
        record.withLock { record in
            guard let count = record?.links.count else { return }
            if count < limits.links { record?.links.append(link) } else { record?.droppedLinks += 1 }
        }
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let ended = record.withLock { record in
            defer { record = nil }
            return record
        }
        guard var ended else { return }
        ended.endedAt = max(ended.beganAt, instant().nanosecondsSinceEpoch)
        finish(ended)
    }
}
