import PostgreSQL
import Uploads

// Finds and counts the jobs that an order with a filter is about.
extension PostgreSQLStore {
    func page(_ filter: OrderFilter, for verb: Verb, after job: JobID?, limit: Int) throws -> OrderFilterPage {
        let found = try query(
            """
            SELECT id FROM jobs WHERE \(Self.condition(filter, verb)) AND id > \(job?.rawValue ?? "")
            ORDER BY id LIMIT \(Int64(limit))
            """)
        // A damaged row may have a text that names no job.
        let jobs = try found.compactMap { JobID(try $0.get("id")) }
        return OrderFilterPage(jobs: jobs, next: found.count < limit ? nil : jobs.last)
    }

    func count(_ filter: OrderFilter, for verb: Verb) throws -> Int {
        try count(Self.counting(filter, verb))
    }

    /// The statement that counts the jobs that an order with a filter is about. Where indexes or tallies answer, no row is read.
    /// - Parameter words: the rare words of the filter's text (`RareWords`).
    static func counting(_ filter: OrderFilter, _ verb: Verb, words: [String] = []) -> Statement {
        let listed = listed(filter, verb, words)
        if resumesOnly(filter, verb) || (verb == .forget && filter.text != nil) {
            return "SELECT count(*) AS count FROM jobs WHERE \(condition(filter, verb, words))"
        }
        let count: Statement =
            tallied(filter, verb).map { "SELECT coalesce(sum(jobs), 0) FROM tallies WHERE \(all($0))" }
            ?? "SELECT count(*) FROM jobs WHERE \(listed)"
        // Each row says whether its job is forgotten, but no index of all jobs does.
        let forgotten: Statement =
            verb == .forget ? "(SELECT count(*) FROM jobs WHERE forgotten IS NOT NULL AND \(listed))" : "0"
        return "SELECT greatest((\(count)) - \(forgotten), 0)::bigint AS count"
    }

    static func listed(_ filter: OrderFilter, _ verb: Verb, _ words: [String] = []) -> Statement {
        all(listedConditions(filter, verb, words))
    }

    static func condition(_ filter: OrderFilter, _ verb: Verb, _ words: [String] = []) -> Statement {
        var conditions = listedConditions(filter, verb, words)
        if verb == .forget { conditions.append("forgotten IS NULL") }
        if resumesOnly(filter, verb) { conditions.append("(status = 'paused' OR keeps_pause)") }
        return all(conditions)
    }

    /// Whether the order is about paused jobs: resuming, in no status that the filter names.
    static func resumesOnly(_ filter: OrderFilter, _ verb: Verb) -> Bool {
        verb == .resume && filter.statuses == nil
    }

    /// The conditions that a listing has, too, and the digits.
    private static func listedConditions(_ filter: OrderFilter, _ verb: Verb, _ words: [String]) -> [Statement] {
        let listing = filter.listing(for: verb)
        var conditions = listing.timeConditionsInPostgreSQL + listing.columnConditionsInPostgreSQL
        if let key = filter.idempotencyKey { conditions.append("sha256(idempotency) = \(key.digest)") }
        if let text = filter.text {
            let match = RareWords.condition(SearchText.fold(text).withoutNUL, words)
            conditions.append("seq IN (SELECT job FROM texts WHERE \(match))")
        }
        if let digits = filter.digits { conditions.append("right(id, 1) = ANY(\(digits.map(String.init)))") }
        return conditions
    }

    /// The conditions on the tallies of jobs that meet a filter; nil where the tallies do not know what it asks for.
    static func tallied(_ filter: OrderFilter, _ verb: Verb) -> [Statement]? {
        let scope = OrderFilter(
            queue: filter.queue, destination: filter.destination, statuses: filter.statuses, digits: filter.digits)
        guard scope == filter else { return nil }
        var conditions = filter.listing(for: verb).columnConditionsInPostgreSQL
        if let digits = filter.digits { conditions.append("digit = ANY(\(digits.map(String.init)))") }
        return conditions
    }
}
