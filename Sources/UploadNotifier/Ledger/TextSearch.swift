import Foundation
import GRDB
import Uploads

/// Finds the jobs of a listing that contain a text, in the order in which the ledger first recorded them.
///
/// The trigrams' entries are in this order, so the search walks them from the beginning of the page, and sorts nothing:
/// a text that only old jobs have is found as soon as one that new jobs have. Each entry is a candidate, whose row is
/// examined. If the rest of the filter leaves only few jobs, these are examined without the trigrams.
///
/// The time of a search depends on how rare the text is, on how many trigrams it has, and on whether the rows have to come from the
/// disk. So the search goes step by step, with larger steps while they take little time. A page ends, full or not, when its time is up or
/// when a number of candidates was examined; the next page goes on from there.
struct TextSearch {
    /// The bounds of a step and of a page.
    struct Bounds {
        /// The most rows that are examined for one page; each takes 2 µs in memory, more from a disk.
        var candidateCountMaximum = 20_000
        /// The candidates of the first step.
        var stepCount = 250
        /// The most candidates of a step. Each step seeks all trigrams anew, so many small steps are slow.
        var stepCountMaximum = 1000
        /// The time after which a page ends with the present step.
        var pageMaximum = Duration.milliseconds(15)
        /// The most jobs that are examined without the trigrams.
        var fewMaximum = JobSearch.fewMaximum
    }

    /// Candidates of one step, in the order of the page.
    private struct Step {
        var candidates: [Int64]
        /// Whether no more candidates follow.
        var isLast: Bool
    }

    private let db: Database
    private let filter: LedgerFilter
    private let rows: DamagedRows
    private let text: String
    private let bounds: Bounds

    /// - Throws: `rejected` for a text that is too short.
    init(
        _ filter: LedgerFilter, for text: String, in db: Database, _ rows: DamagedRows, bounds: Bounds = Bounds()
    ) throws {
        self.db = db
        self.rows = rows
        self.filter = filter
        self.text = SearchText.fold(text)
        self.bounds = bounds
        if self.text.unicodeScalars.count < LedgerFilter.textCountMinimum {
            throw UploadError(
                .rejected,
                "a text to search for needs at least \(LedgerFilter.textCountMinimum) characters; '\(text)' is too short"
            )
        }
    }

    /// The page of the listing.
    /// - Throws: `rejected` when the job after which the page begins is not known.
    func page() throws -> JobPage {
        let begin = ContinuousClock.now
        var place = try filter.start(in: db)?.sequence ?? (isNewestFirst ? .max : .min)
        var few = try few().map { inOrder($0, beyond: place) }
        let trigrams = try few == nil ? RareTrigrams.query(for: text, in: db) : ""
        var jobs: [LedgerJob] = []
        var left = bounds.candidateCountMaximum
        var stepCount = bounds.stepCount
        while true {
            let stepBegin = ContinuousClock.now
            let step = try few == nil ? walk(trigrams, beyond: place, stepCount) : take(stepCount, from: &few)
            let room = filter.limit - jobs.count
            let found = try fitting(step.candidates, beyond: place, limit: room)
            jobs += try JobSearch.jobs(found, in: db, rows)
            if found.count == room, let last = found.last {
                return JobPage(jobs: jobs, next: try JobSearch.id(of: last, in: db) ?? jobs.last?.id)
            }
            guard !step.isLast, let last = step.candidates.last else { return JobPage(jobs: jobs, next: nil) }
            let now = ContinuousClock.now
            left -= step.candidates.count
            if left <= 0 || begin.duration(to: now) >= bounds.pageMaximum {
                return JobPage(jobs: jobs, next: try JobSearch.id(of: last, in: db) ?? jobs.last?.id)
            }
            place = last
            let isQuick = stepBegin.duration(to: now) < bounds.pageMaximum / 8
            stepCount = isQuick ? min(stepCount * 2, max(bounds.stepCount, bounds.stepCountMaximum)) : bounds.stepCount
        }
    }

    private var isNewestFirst: Bool { filter.order == .newestFirst }
    private var beyond: String { isNewestFirst ? "<" : ">" }
    private var direction: String { isNewestFirst ? "DESC" : "ASC" }

    // MARK: Few

    private func inOrder(_ few: [Int64], beyond place: Int64) -> ArraySlice<Int64> {
        isNewestFirst ? few.filter { $0 < place }.sorted(by: >)[...] : few.filter { $0 > place }.sorted()[...]
    }

    private func take(_ count: Int, from few: inout ArraySlice<Int64>?) -> Step {
        let candidates = Array(few?.prefix(count) ?? [])
        few = few?.dropFirst(count)
        return Step(candidates: candidates, isLast: few?.isEmpty ?? true)
    }

    /// The jobs that match the rest of the filter; nil if they are many.
    private func few() throws -> [Int64]? {
        if filter.idempotencyKey != nil, let few = try few(of: .key(filter)) { return few }
        if filter.code != nil, let few = try few(of: .code(filter)) { return few }
        if filter.isScoped {
            let scopes = try JobSearch.scopes(filter, in: db)
            if scopes.map(\.count).sumSaturating() <= bounds.fewMaximum {
                return try scopes.flatMap { try few(of: .scope($0, filter)) ?? [] }
            }
        }
        if filter.batch != nil, let few = try few(of: .batch(filter)) { return few }
        if filter.client != nil, let few = try few(of: .client(filter)) { return few }
        if !filter.endConditions.isEmpty, let few = try few(of: .ends(filter)) { return few }
        return filter.timeConditions.isEmpty ? nil : try few(of: .times(filter))
    }

    /// The jobs that an index alone finds; nil if they are many.
    private func few(of index: JobIndex) throws -> [Int64]? { try index.few(bounds.fewMaximum, in: db) }

    // MARK: Many

    /// Jobs that have the trigrams, and may contain the text. SQLite skips the jobs between two of them in one go, in at most
    /// 40 ms for a million jobs.
    private func walk(_ trigrams: String, beyond place: Int64, _ count: Int) throws -> Step {
        let statement = try db.cachedStatement(
            sql: """
                SELECT rowid FROM jobs_text WHERE jobs_text MATCH ? AND rowid \(beyond) ?
                ORDER BY rowid \(direction) LIMIT ?
                """)
        let candidates = try Int64.fetchAll(statement, arguments: [trigrams, place, count])
        return Step(candidates: candidates, isLast: candidates.count < count)
    }

    /// The candidates that match the whole filter. Only the rows' own order may be used as an index: the planner cannot know that the
    /// candidates are few.
    private func fitting(_ sequences: [Int64], beyond place: Int64, limit: Int) throws -> [Int64] {
        guard !sequences.isEmpty else { return [] }
        var conditions = [
            JobCondition(among: sequences),
            JobCondition("seq \(beyond) ?", [place]), JobCondition("instr(text, ?) > 0", [text]),
        ]
        conditions += filter.timeConditions + filter.columnConditions + filter.keyConditions
        let statement = try db.cachedStatement(
            sql: """
                SELECT seq FROM jobs NOT INDEXED \(JobCondition.clause(conditions)) ORDER BY seq \(direction) LIMIT ?
                """)
        return try Int64.fetchAll(statement, arguments: JobCondition.arguments(conditions) + [limit])
    }
}
