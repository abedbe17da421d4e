/// Decides how many slices of a destination with a limit of bytes or requests may run in a worker: a pure value. Times are of one clock
/// that never steps.
///
/// A few slices use the limit up, and more slices would only wait for it. So a few may run, more as long as none waits for the limit,
/// and fewer again once one waits.
struct DestinationShare: Hashable, Sendable {
    /// How long a destination counts as held up after the last of its slices has waited: between two pieces no slice waits for moments.
    static let heldAfter = Duration.seconds(1)

    /// By how many slices the share grows at a time.
    let step: Int
    let most: Int
    private(set) var width: Int
    /// Whether a slice waits for the limit now.
    private(set) var isWaiting = false
    private var waitedAt: Duration?
    private var grownAt: Duration

    init(step: Int, most: Int, at now: Duration) {
        self.step = max(1, min(step, most))
        self.most = max(1, most)
        width = 1
        grownAt = now
    }

    /// Whether the destination's slices wait for the limit more than they work.
    func isHeld(at now: Duration) -> Bool { isWaiting || waitedAt.map { now - $0 < Self.heldAfter } ?? false }

    /// - Parameters:
    ///   - running: the destination's running slices.
    ///   - allowance: how many slices may run although they wait for the limit.
    func admits(beside running: Int, allowance: Int) -> Bool {
        running < allowance || (running < width && !isWaiting)
    }

    mutating func note(isWaiting: Bool, at now: Duration) {
        if self.isWaiting || isWaiting { waitedAt = now }
        self.isWaiting = isWaiting
    }

    /// To be called when one of the destination's slices has ended.
    mutating func release(at now: Duration) {
        if isHeld(at: now) { width = max(1, width - 1) }
    }

    /// Grows when as many slices run as may, and for a while none of them has waited for the limit: the destination can bear more.
    mutating func grow(beside running: Int, at now: Duration) {
        guard !isHeld(at: now), running >= width, now - grownAt >= Self.heldAfter else { return }
        width = min(most, running + step)
        grownAt = now
    }
}
