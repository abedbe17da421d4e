public import Foundation

/// Somebody who is told of outcomes: a webhook, a log file, a queue, a command.
public protocol CompletionDelegate: Sendable {
    /// The name under which it is registered.
    var name: String { get }

    /// Delivers one event; repeats carry the same event id.
    /// - Returns: what it answered, if it is one that answers.
    /// - Throws: an `UploadError` whose `retry` says whether and when to try again, with the answer if there was one.
    @discardableResult
    func deliver(_ event: UploadEvent) async throws(UploadError) -> ServerResponse?
}

/// A delegate that takes many events at the cost of one: a file that is flushed once.
public protocol BatchDelegate: CompletionDelegate {
    /// Delivers events in order, all or none as far as the caller is concerned: after an error all are repeated.
    func deliver(_ events: [UploadEvent]) async throws(UploadError)
}

/// The durable queues of delegates on the broker, each filled by itself, so that a full one holds up nobody else.
public protocol DelegateQueues: Sendable {
    /// Puts an event into a delegate's queue, which is made if it is not there. It is confirmed when this returns; repeats
    /// carry the same message id.
    /// - Parameter body: the event as a CloudEvent in structured JSON mode.
    /// - Throws: an error that may pass when the queue is full or the broker away.
    func put(_ body: Data, of event: UploadEvent, into delegate: String) async throws(UploadError)
}

/// The ledger's face to those who register delegates at run time. Every change is durable when it returns.
public protocol DelegateRegister: Sendable {
    /// All of them, by name; those that were removed while what waited for them was not struck off yet included.
    func registrations() async throws(UploadError) -> [DelegateRegistration]

    /// - Throws: `rejected` if there is one of this name.
    func register(_ registration: DelegateRegistration) async throws(UploadError)

    /// - Throws: `rejected` if there is none of this name, or it was removed.
    func redefine(_ name: String, _ definition: Data, at: Date) async throws(UploadError)

    /// Marks a delegate as removed, which hears of nothing more; ``DeliveryHistory/forget(_:)`` ends it. Nobody may be recording
    /// for it at the time, or what is recorded afterwards is never told.
    /// - Parameter discarding: whether to do so though something waits for it.
    /// - Returns: how many outcomes it has not taken, given up ones included. More than 0 without `discarding`: nothing is changed.
    /// - Throws: `rejected` if there is none of this name.
    func unregister(_ name: String, discarding: Bool, at: Date) async throws(UploadError) -> Int
}

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

    func status(of delegate: String) async throws(UploadError) -> DelegateStatus
}

extension DeliveryOutbox {
    public func delivered(_ ids: [DelegateDelivery.ID], at time: Date) async throws(UploadError) {
        try await delivered(ids, at: time, attempt: nil)
    }
}
