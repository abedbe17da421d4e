package import Foundation

/// What becomes of deliveries, for every ledger that makes transactions.
extension DeliveryOutbox where Self: DeliveryTransactions {
    package func exhausted(
        _ delivery: DelegateDelivery, attempt: DeliveryAttempt
    ) async throws(UploadError) -> Bool {
        let at = attempt.at.addingTimeInterval(attempt.seconds)
        return try await deliveryTransaction { store in
            try store.fail(delivery.id, attempt, dueAt: at)
            guard try !store.hasDelivered(to: delivery.delegate, since: delivery.failingSince ?? at) else {
                try store.giveUp(delivery.id, at: at)
                return false
            }
            try store.pause(
                delivery.delegate, reason: attempt.error ?? "it refuses everything", at: at, held: false)
            return true
        }
    }
}

extension DeliveryHistory where Self: DeliveryTransactions {
    package func deliverPast(
        _ route: DeliveryRoute, from: Date, to: Date, at time: Date
    ) async throws(UploadError) -> Int {
        var count = 0
        var place: Int64 = 0
        while true {
            let page = try await deliveryTransaction { [place] store in
                let jobs = try store.endedJobs(from: from, to: to, after: place, limit: pastCountMaximum)
                let added = try jobs.count { try store.add($0, to: route, due: time) }
                return (added: added, last: jobs.count == pastCountMaximum ? jobs.last?.place : nil)
            }
            count += page.added
            guard let last = page.last else { return count }
            place = last
        }
    }
}

/// Jobs that are examined in one transaction, so that recording never waits long.
private let pastCountMaximum = 500

extension DeliveryStore {
    /// Notes the delivery of a job's outcome, unless its names are forgotten or its rows cannot be read.
    fileprivate func add(_ ended: EndedJob, to route: DeliveryRoute, due: Date) throws -> Bool {
        guard case .job(let job) = ended.job, job.forgottenAt == nil, let end = job.end else { return false }
        let event: UploadEvent?
        do { event = try self.event(end.event, of: job.id) } catch  where LedgerFailure.isOfOne(error) {
            report(error as? DamagedRow ?? DamagedRow("events", end.event, error))
            return false
        }
        guard let outcome = event?.told, route.takes(outcome) else { return false }
        let delivery = LedgerChanges.Delivery(
            delegate: route.delegate, outcome: outcome.id, job: outcome.job.id, event: end.event)
        return try add(delivery, due: due, created: ended.at)
    }
}
