public import Foundation
import GRDB
public import Uploads

extension Ledger {
    /// Jobs of an order that are handled in one transaction, so that recording never waits long.
    static let orderPageMaximum = 500
    /// Jobs of an order to forget that are handled in one transaction: such an order changes more rows for each job.
    static let forgettingPageMaximum = 100

    private static func pageMaximum(_ verb: Verb) -> Int {
        verb == .forget ? forgettingPageMaximum : orderPageMaximum
    }

    public func carryOut(
        _ order: UploadOrder, view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> OrderStep {
        do throws(UploadError) {
            return try await carryOut(order, view: view, routes: routes, now: now, isSingly: false)
        } catch {
            guard LedgerFailure.isOfOne(error) else { throw error }
            // One of the jobs cannot obey for a reason of its own; the others can.
            return try await carryOut(order, view: view, routes: routes, now: now, isSingly: true)
        }
    }

    /// - Parameter isSingly: whether a job that cannot obey is rolled back and answered by itself.
    private func carryOut(
        _ order: UploadOrder, view: ControlView, routes: [DeliveryRoute], now: Date, isSingly: Bool
    ) async throws(UploadError) -> OrderStep {
        try await write { [rows] db in
            if isSingly { try self.checkTables(db) }
            var progress = try OrderProgress.known(of: order, in: db) ?? OrderProgress(OrderAnswer(order: order.id))
            guard !progress.isDone else { return OrderStep(owed: [], answer: progress.answer) }
            let empty = LedgerBatch(db, rows, view: view, routes: routes, now: now)
            var batch = empty
            var owed: [OwedAction] = []
            func obey(_ verb: Verb, _ page: [JobID]) throws -> [OrderAnswer.Job] {
                guard isSingly else { return try Self.order(verb, of: page, in: &batch) }
                return try page.map { id in
                    var (single, answers) = (empty, [OrderAnswer.Job]())
                    let failure = try Self.attempt(in: db) {
                        answers = try Self.order(verb, of: [id], in: &single)
                        try single.save()
                    }
                    guard failure == nil, let answer = answers.first else {
                        return OrderAnswer.Job(
                            id: id,
                            reason: failure.map { LedgerFailure.words(for: $0) } ?? "the ledger cannot record it")
                    }
                    owed += single.owed
                    return answer
                }
            }
            switch order.command {
            case .stopQueues(let queues):
                for queue in queues { try batch.owe(.queueStopped(queue)) }
                progress.finish(count: queues.count)
            case .startQueues(let queues):
                for queue in queues { try batch.owe(.queueStarted(queue)) }
                progress.finish(count: queues.count)
            case .move(let ids, let target):
                try progress.add(batch.move(ids, target))
                progress.isDone = true
            case .sweepDestination, .sweepStaging:
                // The sweepers make sweeps, since no transaction can wait for one.
                progress.finish(count: 0)
            case .ask:
                // `reports` answers questions, and writes nothing.
                progress.finish(count: 0)
            case .jobs(let verb, let ids):
                let page = Array(ids.dropFirst(progress.answer.matched).prefix(Self.pageMaximum(verb)))
                try progress.add(obey(verb, page))
                progress.isDone = progress.answer.matched >= ids.count
            case .matching(let verb, let filter, let atMost):
                if let atMost, progress.after == nil {
                    let count = try Self.count(filter, verb, in: db)
                    if count > atMost {
                        progress.answer.matched = count
                        progress.answer.problem = .tooMany
                        progress.isDone = true
                        break
                    }
                }
                let (page, isLast) = try Self.page(filter, verb, after: progress.after, in: db)
                try progress.add(obey(verb, page))
                progress.after = page.last ?? progress.after
                progress.isDone = isLast
            }
            try batch.save()
            try progress.save(order.kept(isDone: progress.isDone), in: db)
            return OrderStep(owed: owed + batch.owed, answer: progress.isDone ? progress.answer : nil)
        }
    }

    private static func order(
        _ verb: Verb, of page: [JobID], in batch: inout LedgerBatch
    ) throws -> [OrderAnswer.Job] {
        try batch.load(Set(page))
        return try batch.order(verb, of: page)
    }

    // MARK: Filters

    private static func page(
        _ filter: OrderFilter, _ verb: Verb, after: JobID?, in db: Database
    ) throws -> (jobs: [JobID], isLast: Bool) {
        var (condition, arguments) = condition(filter, verb)
        let limit = pageMaximum(verb)
        arguments += [after?.rawValue ?? "", limit]
        let found = try String.fetchAll(
            db, sql: "SELECT id FROM jobs WHERE \(condition) AND id > ? ORDER BY id LIMIT ?", arguments: arguments)
        // A damaged row may have a text that names no job.
        let jobs = found.compactMap { JobID($0) }
        return (jobs, found.count < limit || jobs.isEmpty)
    }

    private static func count(_ filter: OrderFilter, _ verb: Verb, in db: Database) throws -> Int {
        let (condition, arguments) = condition(filter, verb)
        return try Int.fetchOne(db, sql: "SELECT count(*) FROM jobs WHERE \(condition)", arguments: arguments) ?? 0
    }

    private static func condition(_ filter: OrderFilter, _ verb: Verb) -> (String, StatementArguments) {
        let statuses = filter.statuses(for: verb).map(\.rawValue).sorted()
        var conditions = ["status IN (\(statuses.map { _ in "?" }.joined(separator: ", ")))"]
        var arguments = StatementArguments(statuses)
        if let queue = filter.queue {
            conditions.append("queue = ?")
            arguments += [queue.rawValue]
        }
        if let destination = filter.destination {
            conditions.append("destination = ?")
            arguments += [destination]
        }
        if let batch = filter.batch {
            conditions.append("batch = ?")
            arguments += [batch]
        }
        if let time = filter.endedBefore {
            conditions.append("since < ? AND status IN ('completed', 'failed', 'cancelled')")
            arguments += [time.timeIntervalSince1970]
        }
        if verb == .forget {
            conditions.append("id NOT IN (SELECT id FROM jobs WHERE forgotten IS NOT NULL)")
        }
        if verb == .resume, filter.statuses == nil {
            conditions.append(
                """
                (status = 'paused' OR CASE WHEN json_valid(CAST(record AS TEXT)) THEN
                json_extract(CAST(record AS TEXT), '$.pausedThrough')
                >= json_extract(CAST(record AS TEXT), '$.baton.generation') END)
                """)
        }
        return (conditions.joined(separator: " AND "), arguments)
    }
}
