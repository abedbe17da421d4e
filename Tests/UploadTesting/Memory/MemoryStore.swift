package import Foundation
package import Uploads

/// The tables of a ledger in memory: what a backend has to store, without any database.
package final class MemoryStore: LedgerStore {
    /// All rows, as one value.
    package struct Rows: Hashable, Sendable {
        package var jobs: [JobID: LedgerJob] = [:]
        package var originals: [JobID: Data] = [:]
        package var events: [String: UploadEvent] = [:]
        package var owed: [OwedAction.ID: LedgerChanges.Owed] = [:]
        package var lastOwed: OwedAction.ID = 0
        /// Outcomes that no delegate has received.
        package var deliveries: Set<LedgerChanges.Delivery> = []
        package var letters: [LedgerChanges.Letter] = []
        package var holds: [JobID: LedgerChanges.Hold] = [:]
        package var places: [String: LedgerChanges.Place] = [:]
        package var apps: [String: String] = [:]
        package var orders: [UUID: LedgerChanges.Order] = [:]

        package init() {}
    }

    package var rows: Rows

    package init(_ rows: Rows = Rows()) { self.rows = rows }

    // MARK: Jobs

    package func jobs(_ ids: Set<JobID>) throws -> [JobID: StoredJob] {
        rows.jobs.filter { ids.contains($0.key) }.mapValues { .job($0) }
    }

    package func originalOrder(of job: JobID) throws -> UploadJob? {
        try rows.originals[job].map { body in
            do { return try WireJSON.decode(UploadJob.self, from: body) } catch {
                throw DamagedRow("originals", job.rawValue, error)
            }
        }
    }

    package func page(
        _ filter: OrderFilter, for verb: Verb, after job: JobID?, limit: Int
    ) throws -> OrderFilterPage {
        let jobs = matching(filter, verb).filter { job == nil || job! < $0 }.sorted().prefix(limit)
        return OrderFilterPage(jobs: Array(jobs), next: jobs.count < limit ? nil : jobs.last)
    }

    package func count(_ filter: OrderFilter, for verb: Verb) throws -> Int { matching(filter, verb).count }

    private func matching(_ filter: OrderFilter, _ verb: Verb) -> [JobID] {
        let statuses = filter.statuses(for: verb)
        return rows.jobs.values.filter { job in
            let order = job.baton.job
            return statuses.contains(job.status) && (filter.queue ?? order.queue) == order.queue
                && (filter.destination ?? order.destination.label) == order.destination.label
                && (filter.batch.map { order.batch?.isExactly($0) == true } ?? true)
                && (filter.idempotencyKey.map { order.idempotencyKey?.isExactly($0) == true } ?? true)
                && (filter.client.map { order.client?.isExactly($0) == true } ?? true)
                && (filter.code.map { job.failureCode == $0 } ?? true)
                && (filter.text.map { Self.text(of: job).contains($0.lowercased()) } ?? true)
                && (filter.enqueuedSince.map { order.enqueuedAt >= $0 } ?? true)
                && (filter.enqueuedUntil.map { order.enqueuedAt < $0 } ?? true)
                && (filter.endedSince.map { job.status.isEnd && job.since >= $0 } ?? true)
                && (filter.endedUntil.map { job.status.isEnd && job.since < $0 } ?? true)
                && (filter.digits.map { $0.contains(job.id.digitText) } ?? true)
                && (verb != .forget || job.forgottenAt == nil)
                && (verb != .resume || filter.statuses != nil || job.status == .paused || job.isPaused)
        }.map(\.id)
    }

    /// The words of a job by which it is found.
    private static func text(of job: LedgerJob) -> String {
        guard job.forgottenAt == nil else { return "" }
        let order = job.baton.job
        let names = [
            "\(order.source)", "\(order.destination)", order.batch, order.idempotencyKey, job.end?.error?.message,
        ]
        return (names.compactMap { $0 } + order.metadata.map { "\($0)=\($1)" }).joined(separator: "\n").lowercased()
    }

    package func heldJobs(of queue: QueueName, hasWorker: Bool, now: Date, limit: Int) throws -> [JobID] {
        rows.holds.filter { $1.queue == queue && $1.until <= now && (hasWorker || !$1.needsWorker) }
            .sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }.prefix(limit).map(\.key)
    }

    // MARK: Serial lines

    package func releasedCount(inLineOf queue: QueueName) throws -> Int {
        rows.places.values.count { $0.queue == queue && $0.row == .released }
    }

    package func waitingCount(inLineOf queue: QueueName, before number: Int64) throws -> Int {
        waiting(queue).count { $0.number < number }
    }

    package func row(of job: String, inLineOf queue: QueueName) throws -> LineRow? {
        rows.places[job].flatMap { $0.queue == queue ? $0.row : nil }
    }

    package func waiting(
        inLineOf queue: QueueName, beyond place: WaitingJob?, isBackward: Bool, limit: Int
    ) throws -> [WaitingJob] {
        func isAhead(_ left: WaitingJob, _ right: WaitingJob) -> Bool {
            isBackward
                ? (right.number, right.job) < (left.number, left.job)
                : (left.number, left.job) < (right.number, right.job)
        }
        let beyond = waiting(queue).filter { job in place.map { isAhead($0, job) } ?? true }
        return Array(beyond.sorted(by: isAhead).prefix(limit))
    }

    private func waiting(_ queue: QueueName) -> [WaitingJob] {
        rows.places.values.compactMap { place in
            guard place.queue == queue, case .waiting(let number) = place.row else { return nil }
            return WaitingJob(job: place.job, number: number)
        }
    }

    // MARK: Outcomes and apps

    package func event(_ id: String, of job: JobID) throws -> UploadEvent? {
        rows.events[id].flatMap { $0.job.id == job ? $0 : nil }
    }

    package func untold(of job: JobID) throws -> UntoldNews? {
        if let delivery = rows.deliveries.filter({ $0.job == job }).min(by: { $0.delegate < $1.delegate }) {
            return .delivery(delegate: delivery.delegate)
        }
        return rows.owed.values.contains { $0.job == job } ? .publication : nil
    }

    package func registration(of delegate: String) throws -> RegistrationPhase {
        rows.apps[delegate] == nil ? .unknown : .registered
    }

    package func registrationCount(prefix: String) throws -> Int {
        rows.apps.keys.count { $0.hasPrefix(prefix) }
    }

    // MARK: Owed actions and orders

    package func owed() throws -> [StoredOwedAction] {
        rows.owed.sorted { $0.key < $1.key }.map { id, owed in
            StoredOwedAction(
                id: id, job: owed.job.rawValue, action: .success(owed.action.repeated),
                known: rows.jobs[owed.job].map { .job($0) }, body: Data())
        }
    }

    package func strikeOff(_ ids: [OwedAction.ID]) throws { for id in ids { rows.owed[id] = nil } }

    package func progress(of order: UUID) throws -> OrderProgress? { rows.orders[order]?.progress }

    // MARK: Writing

    package func write(_ changes: LedgerChanges, at now: Date) throws -> [OwedAction.ID] {
        for job in changes.jobs {
            rows.jobs[job.job.id] = job.job
            if job.job.needsNoBytes { rows.originals[job.job.id] = nil }
            if let original = job.original, rows.originals[job.job.id] == nil {
                rows.originals[job.job.id] = original
            }
        }
        for event in changes.events where rows.events[event.event.id] == nil {
            rows.events[event.event.id] = event.event
        }
        for delivery in changes.deliveries
        where !rows.deliveries.contains(where: {
            $0.outcome == delivery.outcome && $0.delegate == delivery.delegate
        }) {
            rows.deliveries.insert(delivery)
        }
        for letter in changes.letters where !rows.letters.contains(letter) { rows.letters.append(letter) }
        for (job, hold) in changes.holds { rows.holds[job] = hold }
        for place in changes.places { rows.places[place.job] = place.row == nil ? nil : place }
        rows.apps.merge(changes.apps) { $1 }
        if let order = changes.order { rows.orders[order.order.id] = order }
        for job in changes.forgotten {
            rows.originals[job.id] = nil
            rows.events = rows.events.filter { $1.job.id != job.id || $0 == job.end?.event }
                .mapValues { $0.job.id == job.id ? $0.forgotten : $0 }
        }
        return changes.owed.map { owed in
            rows.lastOwed += 1
            rows.owed[rows.lastOwed] = owed
            return rows.lastOwed
        }
    }

    package func attempt(_ step: () throws -> Void) throws -> String? {
        let before = rows
        do {
            try step()
            return nil
        } catch  where LedgerFailure.isOfOne(error) {
            rows = before
            return LedgerFailure.words(for: error)
        }
    }

    package func report(_ damage: DamagedRow) {}
}
