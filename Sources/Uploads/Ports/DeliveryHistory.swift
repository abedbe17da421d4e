public import Foundation

/// The ledger's face to those who look after deliveries.
public protocol DeliveryHistory: Sendable {
    /// A page of deliveries, the newest first.
    func deliveries(_ listing: DeliveryListing) async throws(UploadError) -> [DeliveryRecord]

    /// The last attempts of a delivery, oldest first; more than the last 32 are not kept.
    func attempts(of delivery: DelegateDelivery.ID) async throws(UploadError) -> [DeliveryAttempt]

    /// How every delegate stands that was ever told something, by name.
    func standings() async throws(UploadError) -> [DelegateStanding]

    /// Makes deliveries due again, with a fresh schedule, in short transactions.
    /// - Returns: how many.
    func replay(_ replay: DeliveryReplay, at: Date) async throws(UploadError) -> Int

    /// Adds deliveries of the outcomes that ended jobs came to from the first time on and before the second, as far as the route
    /// takes them and its delegate was not told of them yet: those of before it was registered.
    /// - Returns: how many.
    func deliverPast(
        _ route: DeliveryRoute, from: Date, to: Date, at: Date
    ) async throws(UploadError) -> Int

    /// Strikes off what a removed delegate has not taken, with its pause, so that it holds up no clean-up, and ends its registration
    /// if it was removed.
    /// - Returns: how many outcomes it will not hear of.
    func forget(_ delegate: String) async throws(UploadError) -> Int
}
