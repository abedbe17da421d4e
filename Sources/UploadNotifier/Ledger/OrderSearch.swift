import GRDB
import Uploads

/// Finds and counts the jobs that an order with a filter is about.
///
/// If one of the indexes leaves few jobs, a page sorts these by their ids. Otherwise it walks all jobs in the order of their ids, as far as
/// its bound; the next page goes on from there. So the whole order looks at each job once, and each page takes milliseconds.
struct OrderSearch {
    struct Bounds {
        /// The most jobs that are sorted for each page.
        var fewMaximum = 20_000
        /// The most jobs that are walked for one page; each takes about 2 us.
        var walkMaximum = 50_000
    }

    private let db: Database
    private let filter: OrderFilter
    private let verb: Verb
    /// What a listing knows of the filter.
    private let listing: LedgerFilter
    private let bounds: Bounds

    init(_ filter: OrderFilter, _ verb: Verb, in db: Database, bounds: Bounds = Bounds()) {
        self.db = db
        self.filter = filter
        self.verb = verb
        listing = filter.listing(for: verb)
        self.bounds = bounds
    }

    // MARK: Pages

    func page(after job: JobID?, limit: Int) throws -> OrderFilterPage {
        guard !isImpossible else { return OrderFilterPage(jobs: [], next: nil) }
        let start = job?.rawValue ?? ""
        guard let few = try few() else { return try walk(beyond: start, limit) }
        let conditions = [JobCondition(among: few), JobCondition("id > ?", [start])] + allConditions
        return page(of: try ids("jobs NOT INDEXED", conditions, limit), limit, end: nil)
    }

    private func walk(beyond start: String, _ limit: Int) throws -> OrderFilterPage {
        let end = try String.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM jobs WHERE id > ? ORDER BY id LIMIT 1 OFFSET ?"),
            arguments: [start, bounds.walkMaximum - 1]
        ).flatMap { JobID($0) }
        var range = [JobCondition("id > ?", [start])]
        if let end { range.append(JobCondition("id <= ?", [end.rawValue])) }
        // The index that keeps the ids unique.
        return page(
            of: try ids("jobs INDEXED BY sqlite_autoindex_jobs_1", range + allConditions, limit), limit, end: end)
    }

    private func ids(_ table: String, _ conditions: [JobCondition], _ limit: Int) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT id FROM \(table) \(JobCondition.clause(conditions)) ORDER BY id LIMIT ?"),
            arguments: JobCondition.arguments(conditions) + [limit])
    }

    /// - Parameter end: the last job that was looked at, if others follow.
    private func page(of found: [String], _ limit: Int, end: JobID?) -> OrderFilterPage {
        // A damaged row may have a text that names no job.
        let jobs = found.compactMap { JobID($0) }
        return OrderFilterPage(jobs: jobs, next: found.count == limit ? jobs.last : end)
    }

    // MARK: Conditions

    /// Whether no job can match: SQLite would not use an index for a status of none.
    private var isImpossible: Bool { listing.possibleStatuses?.isEmpty == true }

    private var allConditions: [JobCondition] { listedConditions + ruleConditions }

    /// The conditions that a listing has, too, and the digits.
    private var listedConditions: [JobCondition] {
        listing.timeConditions + listing.columnConditions + listing.keyConditions + restConditions
    }

    /// The conditions that no index has.
    private var restConditions: [JobCondition] {
        var conditions: [JobCondition] = []
        if let text { conditions.append(JobCondition("instr(text, ?) > 0", [text])) }
        if let digits = filter.digits?.map(String.init) {
            let places = digits.map { _ in "?" }.joined(separator: ", ")
            conditions.append(JobCondition("substr(id, -1) IN (\(places))", StatementArguments(digits)))
        }
        return conditions
    }

    /// The rules of the verb beyond the statuses.
    private var ruleConditions: [JobCondition] {
        if verb == .forget {
            let forgotten = """
                SELECT 1 FROM jobs AS gone INDEXED BY jobs_forgotten
                WHERE gone.id = jobs.id AND gone.forgotten IS NOT NULL
                """
            return [JobCondition("NOT EXISTS (\(forgotten))", [])]
        }
        return resumesOnly ? [JobCondition("(status = 'paused' OR keeps_pause = 1)", [])] : []
    }

    /// Whether the order is about paused jobs: resuming, in no status that the filter names.
    private var resumesOnly: Bool { verb == .resume && filter.statuses == nil }

    private var text: String? { filter.text.map(SearchText.fold) }

    // MARK: Indexes

    /// The rows of the jobs among which all are that match; nil if they are many.
    private func few() throws -> [Int64]? {
        if resumesOnly {
            var paused = listing
            paused.statuses = [.paused]
            guard let few = try few(of: paused), let kept = try JobIndex.paused.few(bounds.fewMaximum, in: db) else {
                return nil
            }
            return few + kept
        }
        return try few(of: listing)
    }

    private func few(of listing: LedgerFilter) throws -> [Int64]? {
        func few(_ index: JobIndex) throws -> [Int64]? { try index.few(bounds.fewMaximum, in: db) }
        if listing.idempotencyKey != nil, let few = try few(.key(listing)) { return few }
        if listing.batch != nil, let few = try few(.batch(listing)) { return few }
        if listing.code != nil, let few = try few(.code(listing)) { return few }
        if listing.client != nil, let few = try few(.client(listing)) { return few }
        let scopes = try JobSearch.scopes(listing, in: db)
        if scopes.map(\.count).sumSaturating() <= bounds.fewMaximum {
            let parts = try scopes.map { try few(.scope($0, listing)) }
            // A damaged tally may be too low.
            if !parts.contains(nil) { return parts.flatMap { $0 ?? [] } }
        }
        if !listing.endConditions.isEmpty, let few = try few(.ends(listing)) { return few }
        if !listing.timeConditions.isEmpty, let few = try few(.times(listing)) { return few }
        return try fewWithText()
    }

    private func fewWithText() throws -> [Int64]? {
        guard let text, text.unicodeScalars.count >= LedgerFilter.textCountMinimum else { return nil }
        let found = try candidates(text, bounds.fewMaximum + 1)
        return found.count > bounds.fewMaximum ? nil : found
    }

    /// The first jobs that have the text's rare trigrams.
    private func candidates(_ text: String, _ limit: Int) throws -> [Int64] {
        try Int64.fetchAll(
            db.cachedStatement(sql: "SELECT rowid FROM jobs_text WHERE jobs_text MATCH ? LIMIT ?"),
            arguments: [RareTrigrams.query(for: text, in: db), limit])
    }

    // MARK: Counting

    func count() throws -> Int { try count(limit: .max) }

    /// The number of jobs, counted as far as the bounds.
    func preview(_ bounds: OrderPreview.Bounds) throws -> OrderPreview {
        guard !isImpossible else { return OrderPreview(matched: 0) }
        if let text, try few() == nil { return try preview(text, bounds.examinedMaximum) }
        if !resumesOnly, let all = try tallied() {
            guard verb == .forget else { return OrderPreview(matched: all) }
            return OrderPreview(matched: max(0, all - (try forgottenCount(limit: .max))))
        }
        let limit = bounds.countMaximum.addingSaturating(1)
        guard verb == .forget else { return OrderPreview(counting: try count(limit: limit), limit: limit) }
        let found = try count(listing, limit: limit)
        // Where more are forgotten than are counted, only all of them tell how many are not.
        guard let preview = OrderPreview(counting: found, limit: limit, without: try forgottenCount(limit: limit))
        else {
            return OrderPreview(matched: try count())
        }
        return preview
    }

    /// How many of the jobs that a listing would show have been forgotten.
    private func forgottenCount(limit: Int) throws -> Int {
        try JobIndex.forgotten.count(listedConditions, in: db, limit: limit)
    }

    /// The number of jobs by the tallies; nil where they do not know what the filter asks for.
    private func tallied() throws -> Int? {
        let scope = OrderFilter(queue: filter.queue, destination: filter.destination, statuses: filter.statuses)
        return scope == filter ? try JobSearch.scopes(listing, in: db).map(\.count).sumSaturating() : nil
    }

    /// Examines the first jobs that may have the text.
    private func preview(_ text: String, _ examinedMaximum: Int) throws -> OrderPreview {
        let limit = examinedMaximum.addingSaturating(1)
        let isIndexed = text.unicodeScalars.count >= LedgerFilter.textCountMinimum
        let candidates =
            isIndexed
            ? try candidates(text, limit)
            : try Int64.fetchAll(
                db.cachedStatement(sql: "SELECT seq FROM jobs ORDER BY seq LIMIT ?"), arguments: [limit])
        let conditions = [JobCondition(among: Array(candidates.prefix(examinedMaximum)))] + allConditions
        let matched = try JobIndex.count("jobs NOT INDEXED", conditions, in: db, limit: .max)
        return OrderPreview(matched: matched, mayBeMore: candidates.count == limit)
    }

    private func count(limit: Int) throws -> Int {
        guard !isImpossible else { return 0 }
        if verb == .forget {
            return try count(listing, limit: limit) - forgottenCount(limit: .max)
        }
        guard resumesOnly else { return try count(listing, limit: limit) }
        var paused = listing
        paused.statuses = [.paused]
        let kept = try JobIndex.paused.count(
            listedConditions + [JobCondition("status <> 'paused'", [])], in: db, limit: limit)
        return min(limit, try count(paused, limit: limit).addingSaturating(kept))
    }

    private func count(_ listing: LedgerFilter, limit: Int) throws -> Int {
        let others = restConditions + listing.keyConditions
        if restConditions.isEmpty, listing.code != nil {
            return try JobIndex.code(listing).count(
                listing.batchConditions + listing.clientConditions + listing.keyConditions, in: db, limit: limit)
        }
        let isNamed = listing.idempotencyKey != nil || listing.batch != nil || listing.client != nil
        if !isNamed, restConditions.isEmpty {
            // The index of ends is half as large as that of scopes.
            if listing.queue == nil, listing.destination == nil, listing.timeConditions.isEmpty {
                return try JobIndex.ends(listing).count([], in: db, limit: limit)
            }
            let scopes = try JobSearch.scopes(listing, in: db)
            guard scopes.count > JobSearch.scopeCountMaximum else {
                return try scopes.reduce(0) { found, scope in
                    guard found < limit else { return limit }
                    return found + (try JobIndex.scope(scope, listing).count([], in: db, limit: limit - found))
                }
            }
        }
        let all = listing.timeConditions + listing.columnConditions + others
        if let few = try few(of: listing) {
            return try JobIndex.count("jobs NOT INDEXED", [JobCondition(among: few)] + all, in: db, limit: limit)
        }
        if listing.batch != nil { return try JobIndex.batch(listing).count(all, in: db, limit: limit) }
        if listing.client != nil { return try JobIndex.client(listing).count(all, in: db, limit: limit) }
        return try JobIndex.count("jobs", all, in: db, limit: limit)
    }
}
