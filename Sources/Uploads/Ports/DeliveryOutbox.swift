public import Foundation

/// The ledger's face to the delivery of outcomes: one row per outcome and delegate.
public protocol DeliveryOutbox: Sendable {
    /// Deliveries that are due, the longest due first, without those in `excluding`. None while the delegate is paused.
    func due(
        for delegate: String, now: Date, excluding: Set<DelegateDelivery.ID>, limit: Int
    ) async throws(UploadError) -> [DelegateDelivery]

    /// When the next one is due, those in `excluding` apart; nil if nothing waits or the delegate is paused.
    func nextDue(for delegate: String, excluding: Set<DelegateDelivery.ID>) async throws(UploadError) -> Date?

    /// The delegate has taken these.
    func delivered(_ ids: [DelegateDelivery.ID], at: Date) async throws(UploadError)

    /// An attempt failed; the next one is due at this time.
    func failed(_ ids: [DelegateDelivery.ID], error: UploadError, dueAt: Date) async throws(UploadError)

    /// Delivers nothing to this delegate until `resume`; what is to be delivered is kept.
    func pause(_ delegate: String, reason: String, at: Date) async throws(UploadError)

    /// Serves the delegate again; what waits is due at once.
    func resume(_ delegate: String, at: Date) async throws(UploadError)

    func standing(of delegate: String) async throws(UploadError) -> DelegateStanding
}
