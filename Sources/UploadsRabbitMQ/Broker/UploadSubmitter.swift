import RabbitMQ
public import Uploads

/// Publishes jobs of one transfer queue.
public struct UploadSubmitter: Sendable {
    public let queue: QueueName
    let topology: UploadTopology
    let publisher: Publisher

    /// Publishes a job. When this returns, the job is on disk in its lane and in the notifier's queue.
    ///
    /// It is tried once. After `networkFailure` nobody knows whether it arrived: publish it again as `maybeRepeated`, and it
    /// becomes a suspect that the notifier decides on, never a second upload.
    ///
    /// - Parameters:
    ///   - maybeRepeated: an earlier try may have arrived.
    ///   - traceParent: the trace that the job belongs to; left out when it is not valid.
    /// - Throws: `misconfigured` for a job of another queue or with the priority `continued`, `networkFailure`,
    ///   `serverFailure` when the broker does not take it.
    public func submit(
        _ job: UploadJob, maybeRepeated: Bool = false, traceParent: TraceParent? = nil
    ) async throws(UploadError) {
        guard job.queue == queue else {
            throw UploadError(.misconfigured, "a job of queue '\(job.queue)' cannot be submitted to '\(queue)'")
        }
        guard job.priority != .continued else {
            throw UploadError(.misconfigured, "'continued' is no priority: use urgent, normal or bulk")
        }
        let message = try WireFormat.message(job: job, maybeRepeated: maybeRepeated, trace: traceParent)
        let parcel = Parcel(
            message: message, exchange: topology.submit, routingKey: topology.laneKey(queue, job.priority))
        do throws(RabbitMQError) {
            try await publisher.publish(parcel)
        } catch {
            throw UploadError(error, doing: "the job \(job.id) could not be submitted")
        }
    }
}
