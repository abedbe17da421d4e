import Uploads

/// A delivery that wants a slot.
struct SlotRequest: Hashable, Sendable {
    /// Unique in the worker.
    var id: UInt64
    var queue: QueueName
    var lane: Lane
    /// The destination's label.
    var destination: String
    /// The destination's limits.
    var limits = TransferLimits()
    /// Bytes of the job.
    var size: Int64 = 0
    /// How often the job has waited in a row before this request.
    var idleWaits = 0
    /// Whether nothing may run beside it.
    var runsAlone: Bool
    /// Whether its slice can hand over at a part boundary.
    var canYield: Bool

    /// Whether the destination has a limit of bytes or requests.
    var isRateLimited: Bool { limits.bytesPerSecond != nil || limits.requestsPerSecond != nil }

    /// Seconds that the job needs under the destination's limits: for two requests at least, and for its bytes. 1 where only the number of
    /// jobs is limited.
    var expectedSeconds: Double {
        let bytes = limits.bytesPerSecond.map { Double(max(0, size)) / Double(max(1, $0)) }
        let requests = limits.requestsPerSecond.map { 2 / Double(max(1, $0)) }
        return [bytes, requests].compactMap(\.self).max() ?? 1
    }
}
