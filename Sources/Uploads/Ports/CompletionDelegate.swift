public import Foundation

/// A receiver of outcomes: a webhook, a log file, a queue, a command.
public protocol CompletionDelegate: Sendable {
    /// The name under which it is registered.
    var name: String { get }

    /// Delivers one event; repeats carry the same event id.
    /// - Returns: the delegate's answer, if its kind answers.
    /// - Throws: an `UploadError` whose `retry` says whether and when to try again, with the answer if there was one.
    @discardableResult
    func deliver(_ event: UploadEvent) async throws(UploadError) -> ServerResponse?
}

/// A delegate that takes many events at the cost of one: a file that is flushed once.
public protocol BatchDelegate: CompletionDelegate {
    /// Delivers events in order, all or none as far as the caller is concerned: after an error all are repeated.
    func deliver(_ events: [UploadEvent]) async throws(UploadError)
}

/// The durable queues of delegates on the broker, each filled by itself, so that a full one holds up no other.
public protocol DelegateQueues: Sendable {
    /// Puts an event into a delegate's queue, which is made if it is not there. The broker has confirmed it when this
    /// returns; repeats carry the same message id.
    /// - Parameter body: the event as a CloudEvent in structured JSON mode.
    /// - Throws: an error that may pass when the queue is full or the broker away.
    func put(_ body: Data, of event: UploadEvent, into delegate: String) async throws(UploadError)
}

/// The part of the ledger that keeps delegates registered at run time. Every change is durable when it returns.
public protocol DelegateRegister: Sendable {
    /// All registrations, by name, those of removed delegates included while deliveries that waited for them are not
    /// struck off yet.
    func registrations() async throws(UploadError) -> [DelegateRegistration]

    /// - Throws: `rejected` if a delegate of this name is registered.
    func register(_ registration: DelegateRegistration) async throws(UploadError)

    /// - Throws: `rejected` if no delegate of this name is registered, or it was removed.
    func redefine(_ name: String, _ definition: Data, at: Date) async throws(UploadError)

    /// Marks a delegate as removed, so that it receives nothing more; ``DeliveryHistory/forget(_:)`` ends it. The
    /// caller must keep the ledger from recording for it at the time, or what is recorded afterwards is never
    /// delivered.
    /// - Parameter discarding: whether to do so although deliveries wait for it.
    /// - Returns: how many outcomes it has not taken, given up ones included. More than 0 without `discarding`: nothing is changed.
    /// - Throws: `rejected` if no delegate of this name is registered.
    func unregister(_ name: String, discarding: Bool, at: Date) async throws(UploadError) -> Int
}

/// The part of the ledger that delivers outcomes: one row per outcome and delegate.
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

    /// Notes that the delegate has taken these.
    /// - Parameter attempt: the entry for the delivery log; nil where the time is enough.
    func delivered(_ ids: [DelegateDelivery.ID], at: Date, attempt: DeliveryAttempt?) async throws(UploadError)

    /// Notes a failed attempt; the next one is due at this time.
    func failed(_ ids: [DelegateDelivery.ID], attempt: DeliveryAttempt, dueAt: Date) async throws(UploadError)

    /// Notes that the last attempt failed. If the delegate has taken others since the delivery's first attempt failed,
    /// this one is given up, and kept until it is replayed. Otherwise the delegate itself fails: it is paused, and
    /// everything is kept as it is.
    /// - Returns: whether the delegate is paused.
    func exhausted(_ delivery: DelegateDelivery, attempt: DeliveryAttempt) async throws(UploadError) -> Bool

    /// Delivers nothing to this delegate until `resume`; its deliveries are kept.
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
