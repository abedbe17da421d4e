import Foundation
import GRDB
package import Uploads

extension Ledger: LedgerQueries {
    /// Events that one call examines, so that a filter without matches takes no longer than another.
    private static let eventWindow = 5000

    package func job(_ id: JobID) async throws(UploadError) -> LedgerJob? {
        try await read { [rows] db in
            try Data.fetchOne(db, sql: "SELECT record FROM jobs WHERE id = ?", arguments: [id.rawValue]).map {
                do throws(DamagedRow) {
                    return try DamagedRows.job($0, id: id.rawValue)
                } catch {
                    rows.say(error)
                    throw error
                }
            }
        }
    }

    package func jobs(_ filter: LedgerFilter) async throws(UploadError) -> JobPage {
        try await read { [rows] db in
            if let text = filter.text { return try TextSearch(filter, for: text, in: db, rows).page() }
            return try JobSearch(filter, in: db, rows).page()
        }
    }

    package func count(_ filter: OrderFilter, for verb: Verb) async throws(UploadError) -> Int {
        try await read { db in try OrderSearch(filter, verb, in: db).count() }
    }

    package func preview(
        _ filter: OrderFilter, for verb: Verb, bounds: OrderPreview.Bounds
    ) async throws(UploadError) -> OrderPreview {
        try await read { db in
            let search = OrderSearch.Bounds(fewMaximum: bounds.examinedMaximum)
            return try OrderSearch(filter, verb, in: db, bounds: search).preview(bounds)
        }
    }

    package func events(of job: JobID) async throws(UploadError) -> [UploadEvent] {
        try await read { [rows] db in
            try Row.fetchAll(
                db, sql: "SELECT seq, body FROM events WHERE job = (SELECT seq FROM jobs WHERE id = ?) ORDER BY seq",
                arguments: [job.rawValue]
            ).compactMap { rows.value(UploadEvent.self, from: $0["body"], "events", $0["seq"] as Int64) }
        }
    }

    package func events(
        after sequence: Int64, _ filter: EventFilter, limit: Int
    ) async throws(UploadError) -> EventPage {
        let limit = min(max(1, limit), 1000)
        return try await read { [rows] db in
            let last = try Self.lastSequence(in: db)
            let start = sequence > last ? 0 : max(0, sequence)
            // A row without a kind is no event: it keeps a number from being given again (`SQLiteCopyDestination`).
            var conditions = ["seq > ?", "kind <> ''"]
            var arguments: StatementArguments = [start]
            // The events of one job are few and have an index; other events are looked for in a window.
            var end = last
            if let job = filter.job {
                conditions.append("job = (SELECT seq FROM jobs WHERE id = ?)")
                arguments += [job.rawValue]
            } else {
                let window = try Int64.fetchOne(
                    db, sql: "SELECT seq FROM events WHERE seq > ? ORDER BY seq LIMIT 1 OFFSET ?",
                    arguments: [start, Self.eventWindow - 1])
                end = window ?? last
                conditions.append("seq <= ?")
                arguments += [end]
            }
            if let kinds = filter.kinds {
                conditions.append("kind IN (\(kinds.map { _ in "?" }.joined(separator: ", ")))")
                arguments += StatementArguments(kinds.map(\.rawValue))
            }
            if let queue = filter.queue {
                conditions.append("queue = ?")
                arguments += [queue.rawValue]
            }
            arguments += [limit]
            let found = try Row.fetchAll(
                db,
                sql: "SELECT seq, body FROM events WHERE \(conditions.joined(separator: " AND ")) ORDER BY seq LIMIT ?",
                arguments: arguments)
            let events = found.compactMap { row in
                rows.value(UploadEvent.self, from: row["body"], "events", row["seq"] as Int64).map {
                    RecordedEvent(sequence: row["seq"], event: $0)
                }
            }
            let through: Int64 = found.count == limit ? found.last.map { $0["seq"] } ?? end : end
            return EventPage(events: events, through: through, isLast: through >= last)
        }
    }

    package func lastSequence() async throws(UploadError) -> Int64 { try await read(Self.lastSequence) }

    private static func lastSequence(in db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(seq) FROM events") ?? 0
    }
}
