public import Foundation

/// What is to be delivered once more, under the same ids.
public enum DeliveryReplay: Hashable, Sendable {
    /// This one, whether it was delivered or not.
    case one(DelegateDelivery.ID)
    /// Everything that came up for a delegate from the first time on and before the second, delivered or not.
    case range(delegate: String, from: Date, to: Date)
    /// What a delegate has refused and not taken since.
    case failed(delegate: String)
}
