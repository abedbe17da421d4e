package import Foundation

/// The tables of a ledger with those of its deliveries, in one transaction.
package protocol DeliveryStore: LedgerStore {
    /// Notes a failed attempt of a delivery, which is due again at `dueAt`.
    func fail(_ delivery: DelegateDelivery.ID, _ attempt: DeliveryAttempt, dueAt: Date) throws

    /// Whether the delegate has taken a delivery at this time or later.
    func hasDelivered(to delegate: String, since time: Date) throws -> Bool

    /// Notes that a delivery is given up.
    func giveUp(_ delivery: DelegateDelivery.ID, at time: Date) throws

    /// Pauses a delegate. A pause by an operator (`held`) takes the place of one that a failure caused; otherwise the first pause stays.
    func pause(_ delegate: String, reason: String, at time: Date, held: Bool) throws

    /// Jobs that ended in a range of time, in the order of their first recording, which later records do not change.
    /// - Parameter place: the place behind which the page begins; 0: the first page.
    func endedJobs(from: Date, to: Date, after place: Int64, limit: Int) throws -> [EndedJob]

    /// Notes a delivery of an outcome of the past.
    /// - Parameter created: the time at which the job ended.
    /// - Returns: false if the delivery is noted already.
    func add(_ delivery: LedgerChanges.Delivery, due: Date, created: Date) throws -> Bool
}

/// A ledger that makes transactions which change deliveries.
package protocol DeliveryTransactions: LedgerTransactions {
    /// Does the same as ``LedgerTransactions/transaction(_:)``.
    func deliveryTransaction<Value: Sendable>(
        _ body: @escaping @Sendable (any DeliveryStore) throws -> Value
    ) async throws(UploadError) -> Value
}

/// A job that has ended.
package struct EndedJob: Sendable {
    /// Its place in the order of the jobs' first recording, from 1.
    package var place: Int64
    package var at: Date
    package var job: StoredJob

    package init(place: Int64, at: Date, job: StoredJob) {
        self.place = place
        self.at = at
        self.job = job
    }
}
