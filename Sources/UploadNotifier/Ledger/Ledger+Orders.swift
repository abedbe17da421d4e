public import Foundation
import GRDB
public import Uploads

extension Ledger {
    /// Jobs of an order that are decided on in one transaction, so that recording never waits long.
    static let orderPageMaximum = 500

    public func carryOut(_ order: UploadOrder, view: ControlView, now: Date) async throws(UploadError) -> OrderStep {
        try await write { db in
            var progress = try OrderProgress.known(of: order, in: db) ?? OrderProgress(OrderAnswer(order: order.id))
            guard !progress.isDone else { return OrderStep(owed: [], answer: progress.answer) }
            var batch = LedgerBatch(db, view: view, routes: [], now: now)
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
                // Made by the sweepers, which no transaction can wait for.
                progress.finish(count: 0)
            case .jobs(let verb, let ids):
                let page = Array(ids.dropFirst(progress.answer.matched).prefix(Self.orderPageMaximum))
                try progress.add(Self.order(verb, of: page, in: &batch))
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
                let page = try Self.page(filter, verb, after: progress.after, in: db)
                try progress.add(Self.order(verb, of: page, in: &batch))
                progress.after = page.last ?? progress.after
                progress.isDone = page.count < Self.orderPageMaximum
            }
            try batch.save()
            try progress.save(order, in: db)
            return OrderStep(owed: batch.owed, answer: progress.isDone ? progress.answer : nil)
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
    ) throws -> [JobID] {
        var (condition, arguments) = condition(filter, verb)
        arguments += [after?.rawValue ?? "", orderPageMaximum]
        return try String.fetchAll(
            db, sql: "SELECT id FROM jobs WHERE \(condition) AND id > ? ORDER BY id LIMIT ?", arguments: arguments
        ).compactMap { JobID($0) }
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
        if verb == .resume, filter.statuses == nil {
            conditions.append(
                """
                (status = 'paused' OR json_extract(CAST(record AS TEXT), '$.pausedThrough')
                >= json_extract(CAST(record AS TEXT), '$.baton.generation'))
                """)
        }
        return (conditions.joined(separator: " AND "), arguments)
    }
}
