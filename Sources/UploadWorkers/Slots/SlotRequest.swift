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
    /// Parts of the job that may be under way at once.
    var parts = 1
    /// How often the job has waited in a row before this request.
    var idleWaits = 0
    /// Whether nothing may run beside it.
    var runsAlone: Bool
    /// Whether its slice can hand over at a part boundary.
    var canYield: Bool

    /// What the policy looks at when it chooses: deliveries of one kind come in the order of their arrival.
    struct Kind: Hashable, Sendable {
        var queue: QueueName
        var lane: Lane
        var destination: String
        var runsAlone: Bool
    }

    var kind: Kind { Kind(queue: queue, lane: lane, destination: destination, runsAlone: runsAlone) }

    /// Bytes of memory that the job takes while it runs: at most 1 MiB for each part under way, and at least 128 KiB for all that a small job
    /// needs, its connection too.
    var bytesInMemory: Int64 { max(128 << 10, min(size, Int64(max(1, parts)) << 20)) }

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
