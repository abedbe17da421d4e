public import Foundation

/// The durable queues of delegates on the broker, each filled by itself, so that a full one holds up nobody else.
public protocol DelegateQueues: Sendable {
    /// Puts an event into a delegate's queue, which is made if it is not there. It is confirmed when this returns; repeats
    /// carry the same message id.
    /// - Parameter body: the event as a CloudEvent in structured JSON mode.
    /// - Throws: an error that may pass when the queue is full or the broker away.
    func put(_ body: Data, of event: UploadEvent, into delegate: String) async throws(UploadError)
}
