public import Foundation

/// The ledger's face to the delivery of outcomes: one row per outcome and delegate.
public protocol DeliveryOutbox: Sendable {
    /// Deliveries that are due, the longest due first, without those in `excluding`. None while the delegate is paused.
    /// - Parameter ordered: whether a job's outcome waits until its earlier ones were taken or given up.
    func due(
        for delegate: String, ordered: Bool, now: Date, excluding: Set<DelegateDelivery.ID>, limit: Int
    ) async throws(UploadError) -> [DelegateDelivery]

    /// When the next one is due, those in `excluding` apart; nil if nothing waits or the delegate is paused.
    func nextDue(
        for delegate: String, ordered: Bool, excluding: Set<DelegateDelivery.ID>
    ) async throws(UploadError) -> Date?

    /// The delegate has taken these.
    /// - Parameter attempt: goes to the delivery log; nil where the time says it all.
    func delivered(_ ids: [DelegateDelivery.ID], at: Date, attempt: DeliveryAttempt?) async throws(UploadError)

    /// An attempt failed; the next one is due at this time.
    func failed(_ ids: [DelegateDelivery.ID], attempt: DeliveryAttempt, dueAt: Date) async throws(UploadError)

    /// The last attempt failed. If the delegate has taken others since the delivery's first attempt failed, this one is
    /// given up, kept until it is replayed; else the delegate is the trouble: it is paused, and everything is kept as it is.
    /// - Returns: whether the delegate is paused.
    func exhausted(_ delivery: DelegateDelivery, attempt: DeliveryAttempt) async throws(UploadError) -> Bool

    /// Delivers nothing to this delegate until `resume`; what is to be delivered is kept.
    /// - Parameter held: an operator's pause, which a restart does not end.
    func pause(_ delegate: String, reason: String, at: Date, held: Bool) async throws(UploadError)

    /// Serves the delegate again; what waits is due at once.
    func resume(_ delegate: String, at: Date) async throws(UploadError)

    func standing(of delegate: String) async throws(UploadError) -> DelegateStanding
}

extension DeliveryOutbox {
    public func delivered(_ ids: [DelegateDelivery.ID], at time: Date) async throws(UploadError) {
        try await delivered(ids, at: time, attempt: nil)
    }
}
