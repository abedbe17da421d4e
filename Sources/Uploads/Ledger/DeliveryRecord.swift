public import Foundation

/// How a delivery stands, for those who ask.
public struct DeliveryRecord: Hashable, Sendable, Identifiable {
    /// Bounded: what a listing can be narrowed to.
    public enum Status: String, CaseIterable, Codable, Sendable {
        /// Not tried yet, or tried in vain and due again.
        case waiting
        case delivered
        /// Refused for as long as it was tried while the delegate took others: kept until it is replayed.
        case failed
    }

    public let id: DelegateDelivery.ID
    public let delegate: String
    /// The outcome's id, as the delegate sees it.
    public let event: String
    public let job: String
    public let status: Status
    /// Attempts that have failed so far.
    public let attempts: Int
    public let createdAt: Date
    /// `waiting`: when it is tried next.
    public let dueAt: Date?
    public let deliveredAt: Date?
    /// Why the last attempt failed.
    public let error: String?

    public init(
        id: DelegateDelivery.ID, delegate: String, event: String, job: String, status: Status, attempts: Int,
        createdAt: Date, dueAt: Date?, deliveredAt: Date?, error: String?
    ) {
        self.id = id
        self.delegate = delegate
        self.event = event
        self.job = job
        self.status = status
        self.attempts = attempts
        self.createdAt = createdAt
        self.dueAt = dueAt
        self.deliveredAt = deliveredAt
        self.error = error
    }
}
