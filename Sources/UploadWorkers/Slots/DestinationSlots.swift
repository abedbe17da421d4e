import Uploads

/// What the slot policy knows about one destination: a pure value.
struct DestinationSlots: Sendable {
    /// The limits of the last delivery that asked for a slot.
    var limits = TransferLimits()
    /// Nil for a destination without a limit of bytes or requests.
    var share: DestinationShare?
    /// Whether slices wait for a limit of bytes or requests, also without a share, since a limit may be configured later.
    var isWaitedFor = false
    var finder: ConcurrencyFinder
    var running = 0
    /// What the running jobs may have in memory.
    var bytes: Int64 = 0
    var runningUrgent = 0
    var waiting = 0

    init(most: Int) { finder = ConcurrencyFinder(most: most) }

    var isActive: Bool { running > 0 || waiting > 0 }

    /// Whether the destination's limit of bytes or requests holds its slices up, so that they need no slot.
    func isHeld(at now: Duration) -> Bool { share?.isHeld(at: now) ?? false }

    /// Whether as many jobs run as the destination takes at once. Urgent jobs may exceed that by a quarter.
    func isFull(for lane: Lane) -> Bool {
        running >= (lane == .urgent ? finder.width + max(1, finder.width / 4) : finder.width)
    }
}
