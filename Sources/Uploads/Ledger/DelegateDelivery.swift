public import Foundation

/// One outcome on its way to one delegate.
public struct DelegateDelivery: Hashable, Sendable, Identifiable {
    public let id: Int64
    public let delegate: String
    /// The outcome, under the id that every repeat carries.
    public let event: UploadEvent
    /// Attempts that have failed so far.
    public let attempts: Int
    /// Not before.
    public let dueAt: Date
    /// When the first attempt failed; nil if none did.
    public let failingSince: Date?

    public init(
        id: Int64, delegate: String, event: UploadEvent, attempts: Int, dueAt: Date, failingSince: Date? = nil
    ) {
        self.id = id
        self.delegate = delegate
        self.event = event
        self.attempts = attempts
        self.dueAt = dueAt
        self.failingSince = failingSince
    }
}
