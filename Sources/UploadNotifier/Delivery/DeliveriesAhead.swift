import Uploads

/// Deliveries that were read from the outbox together with others, and wait in memory for a free place, so that a delegate that is quick does
/// not need a query for each of its outcomes.
///
/// They count for a moment only, because another process may pause the delegate or drop a delivery: as many are read ahead as the delegate took
/// in such a moment before. A pure value; times are instants of one clock.
struct DeliveriesAhead: Sendable {
    typealias Instant = ContinuousClock.Instant

    static let countMaximum = 64
    /// The number that is read ahead at first.
    static let countMinimum = 4
    /// For this long deliveries count after they were read.
    static let patience = Duration.milliseconds(100)

    private var deliveries: ArraySlice<DelegateDelivery> = []
    private var readAt: Instant?
    private var clearedAt: Instant?
    /// The number to read ahead with the next query.
    private(set) var count = Self.countMinimum

    /// Takes deliveries for all free places.
    /// - Returns: nil if the outbox has to be asked, for ``count`` deliveries more than there are free places.
    mutating func take(_ free: Int, at now: Instant) -> [DelegateDelivery]? {
        if let readAt, readAt.duration(to: now) < Self.patience, deliveries.count >= free {
            defer { deliveries.removeFirst(free) }
            return Array(deliveries.prefix(free))
        }
        if readAt != nil {
            count =
                deliveries.count < free
                ? min(count * 2, Self.countMaximum) : max(count - deliveries.count, Self.countMinimum)
        }
        forget()
        return nil
    }

    /// Keeps those of the deliveries for which there is no free place.
    /// - Parameter asked: when they were asked for.
    /// - Returns: those for which there is.
    mutating func keep(_ read: [DelegateDelivery], free: Int, asked: Instant) -> [DelegateDelivery] {
        if read.count > free, clearedAt.map({ $0 < asked }) ?? true {
            deliveries = read.dropFirst(free)
            readAt = asked
        }
        return Array(read.prefix(free))
    }

    /// Forgets them, since they may not be due any more; also those that are asked for at this moment.
    mutating func clear(at now: Instant) {
        clearedAt = now
        forget()
    }

    private mutating func forget() {
        deliveries = []
        readAt = nil
    }
}
