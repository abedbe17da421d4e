import RabbitMQ
import TraceContexts
import Tracing
public import Uploads

/// Publishes jobs of one transfer queue.
public struct UploadSubmitter: Sendable {
    /// How long a broker may take to confirm a job before it counts as blocked or gone.
    public static let confirmLimit = Duration.seconds(15)

    public let queue: QueueName
    let topology: UploadTopology
    let publisher: Publisher

    var lanes: Topology { topology.lanes(of: queue) }

    /// The lanes, and the exchanges and bindings to them.
    var needed: Topology { topology.foundation + lanes }

    /// Publishes a job. When this returns, the job is on disk in its lane and in the notifier's queue; a job of a
    /// serial line only in the notifier's queue.
    ///
    /// The submitter tries once, and once more alone, as a repeat, when the broker closes the channel during the first
    /// try. After `networkFailure` it is not known whether the job arrived: publish it again as `maybeRepeated`, and it
    /// becomes a suspect that the notifier decides on, never a second upload.
    ///
    /// - Parameters:
    ///   - maybeRepeated: an earlier try may have arrived. Jobs with an idempotency key always count as such.
    ///   - limit: how long the broker may take to confirm it; nil: as long as it takes.
    ///   - traceParent: the trace that the job belongs to; nil: that of the running task's span. The message names the span of this
    ///     publication, if the program has a tracer.
    ///   - isAlone: publish it alone on a channel from the start, so that its refusal disturbs no other message.
    /// - Throws: `misconfigured` for a job of another queue or with the priority `continued`; `rejected` for a job that
    ///   is too large for the broker, `accessDenied`; `networkFailure`, `serverFailure` when the broker does not take
    ///   it; `interrupted` when the calling task was cancelled: the job may have arrived.
    public func submit(
        _ job: UploadJob, maybeRepeated: Bool = false, within limit: Duration? = nil, traceParent: TraceParent? = nil,
        isAlone: Bool = false
    ) async throws(UploadError) {
        guard job.queue == queue else {
            throw UploadError(.misconfigured, "a job of queue '\(job.queue)' cannot be submitted to '\(queue)'")
        }
        guard job.priority != .continued else {
            throw UploadError(.misconfigured, "'continued' is no priority: use urgent, normal or bulk")
        }
        let producer = ServiceContext.trace(of: job.id, after: traceParent)
        // The notifier issues these jobs itself, and its message names no producer: so their trace begins here.
        let isIssuedAnew = job.idempotencyKey != nil || job.serial != nil
        let span = startSpan(
            "upload.enqueue", context: isIssuedAnew ? ServiceContext.ownTrace(of: job.id) : producer, ofKind: .producer)
        defer { span.end() }
        if isIssuedAnew, producer.traceParent != nil { span.addLink(SpanLink(context: producer, attributes: [:])) }
        span.attributes["upload.job"] = job.id.rawValue
        span.attributes["upload.queue"] = job.queue.rawValue
        span.attributes["upload.destination"] = job.destination.label
        do throws(UploadError) {
            try await publish(
                job, maybeRepeated: maybeRepeated, within: limit, span.context.traceParent ?? traceParent,
                isAlone: isAlone)
        } catch {
            span.setStatus(SpanStatus(code: .error, message: error.code.description))
            throw error
        }
    }

    private func publish(
        _ job: UploadJob, maybeRepeated: Bool, within limit: Duration?, _ trace: TraceParent?, isAlone: Bool
    ) async throws(UploadError) {
        // This program cannot know whether another one used the key before.
        let message = try WireFormat.message(
            job: job, maybeRepeated: maybeRepeated || job.idempotencyKey != nil, trace: trace)
        // A job of a serial line goes only to the notifier, which knows when its turn has come.
        var parcel =
            job.serial == nil
            ? Parcel(
                message: message, exchange: topology.submit, routingKey: topology.laneKey(queue, job.priority, job.id),
                flagsRepeats: true)
            : Parcel(message: message, exchange: "", routingKey: topology.notifier(of: job.id), flagsRepeats: true)
        parcel.confirmLimit = limit
        do throws(RabbitMQError) {
            try await publish(parcel, isAlone: isAlone)
        } catch {
            let failure = UploadError(error, doing: "the job \(job.id) could not be submitted")
            // A failed repeat says nothing about the first try, which stays unknown.
            guard error.isOutcomeUnknown, failure.code != .interrupted else { throw failure }
            throw UploadError(.networkFailure, failure.message, cause: error)
        }
    }

    /// Declares missing objects again and publishes once more, if an exchange or the queues were deleted a moment ago.
    private func publish(_ parcel: Parcel, isAlone: Bool) async throws(RabbitMQError) {
        do throws(RabbitMQError) {
            try await publisher.publish(parcel, isAlone: isAlone)
        } catch {
            let first = error
            guard first.code == .returned || first.code == .notFound else { throw first }
            do throws(RabbitMQError) {
                try await publisher.connection.declareAgain(needed, least: lanes)
                try await publisher.publish(first.isOutcomeUnknown ? parcel.repeated : parcel, isAlone: isAlone)
            } catch {
                throw first.isOutcomeUnknown ? error.ofRepeat(after: first) : error
            }
        }
    }
}
