import Uploads

/// A delivery that wants a slot.
struct SlotRequest: Hashable, Sendable {
    /// Unique in the worker.
    var id: UInt64
    var queue: QueueName
    var lane: Lane
    /// The destination's label.
    var destination: String
    /// Jobs at once at that destination; nil is no limit.
    var jobLimit: Int?
    /// Whether nothing may run beside it.
    var runsAlone: Bool
    /// Whether its slice can hand over at a part boundary.
    var canYield: Bool
}
