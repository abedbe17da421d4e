package import Tracing
package import Uploads

// The tracer is the one that the program bootstrapped: Longshore's own for OTLP, or that of the app which uses the client library. Without
// one, these contexts hold nothing, and messages carry the producer's `traceparent` on as it came.

extension ServiceContext {
    /// The context for a span of a job's trace.
    /// - Parameter parent: the place in the trace that a message names. With nil the span belongs to that of the running task; without one,
    ///   a trace begins here, and Longshore's tracer gives it the job's id: so all slices of a job are in one trace, also those that the
    ///   notifier issued.
    package static func trace(of job: JobID, after parent: TraceParent?) -> ServiceContext {
        var context = current ?? topLevel
        if let parent { context = context.following(parent) }
        context[TracedJob.self] = job
        return context
    }

    /// The context for the first span of a trace that has the job's id.
    package static func ownTrace(of job: JobID) -> ServiceContext {
        var context = topLevel
        context[TracedJob.self] = job
        return context
    }

    /// This context with the given place in a trace as the parent of its spans.
    package func following(_ parent: TraceParent) -> ServiceContext {
        var context = self
        InstrumentationSystem.instrument.extract(
            [TraceParent.header: parent.description], into: &context, using: TraceHeaders())
        return context
    }

    /// The place in the trace, for messages and requests; nil without a tracer, and with one that uses other headers than `traceparent`.
    package var traceParent: TraceParent? {
        var headers: [String: String] = [:]
        InstrumentationSystem.instrument.inject(self, into: &headers, using: TraceHeaders())
        return headers[TraceParent.header].flatMap { TraceParent($0) }
    }
}

/// The job whose id a trace gets that begins with the next span.
package enum TracedJob: ServiceContextKey {
    package typealias Value = JobID
}

private struct TraceHeaders: Extractor, Injector {
    func extract(key: String, from headers: [String: String]) -> String? { headers[key] }
    func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
}
