import TraceContexts
import Tracing
import Uploads

/// Begins spans, and hands those that have ended to the exporter.
struct SpanTracer: Tracer {
    let sampler: Sampler
    let propagates: Bool
    let limits: RecordedSpan.Limits
    let finish: @Sendable (RecordedSpan.Record) -> Void

    func startSpan<Instant: TracerInstant>(
        _ name: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context[CurrentSpan.self]
        let trace = parent?.trace ?? context[TracedJob.self].flatMap { TraceID($0) } ?? TraceID()
        let place = SpanContext(trace: trace, span: SpanID(), isSampled: sampler.isSampled(trace, parent: parent))
        context[CurrentSpan.self] = place
        let record =
            place.isSampled
            ? RecordedSpan.Record(
                place: place, parent: parent, kind: kind, beganAt: instant().nanosecondsSinceEpoch, name: name) : nil
        return RecordedSpan(record, context: context, limits, finish: finish)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard propagates, let text = extractor.extract(key: TraceParent.header, from: carrier),
            let parent = TraceParent(text).flatMap({ SpanContext($0) })
        else { return }
        context[CurrentSpan.self] = parent
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard propagates, let place = context[CurrentSpan.self] else { return }
        injector.inject(place.text, forKey: TraceParent.header, into: &carrier)
    }

    // Spans are exported as they end, and when the program stops.
    func forceFlush() {}
}

extension TraceID {
    /// The trace of a job that no producer has traced has the job's id.
    init?(_ job: JobID) { self.init(high: job.bits.high, low: job.bits.low) }
}
