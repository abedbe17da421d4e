import PostgreSQL
import Uploads

/// Finds the jobs of a listing by a text. One that many of the next jobs have is found by comparing their texts; one that few of them have, by
/// the index by trigrams, as in `TextSearch`.
extension PostgreSQLSearch {
    /// The jobs whose texts are compared one after the other at first.
    private static let walkCount: Int64 = 5000
    /// The most jobs whose texts are compared one after the other for a page that is full then.
    private static let longWalkCount: Int64 = 50_000
    /// So many matches in a walk mean that the text is common: the index by trigrams would find too many jobs.
    private static let commonCount: Int64 = 50
    /// The candidates of the first step when other conditions may leave few of them, and the most of a later one.
    private static let (stepCount, stepCountMaximum) = (2000, 8000)

    func page(with needle: String) async throws -> JobPage {
        let start = try await start()?.sequence
        if try await hasFewBesides() {
            return try page(of: try await findAmongFew(needle, beyond(start, column: "seq")))
        }
        let pattern = Self.pattern(needle)
        let walk = try await transaction.execute(
            """
            SELECT count(*) AS count, count(*) FILTER (WHERE text LIKE \(pattern)) AS matches,
            \(isNewestFirst ? "min(job)" as Statement : "max(job)") AS last FROM (
                SELECT job, text FROM texts WHERE \(beyond(start)) ORDER BY \(order)
                LIMIT \(Self.walkCount)
            ) AS walked
            """)
        guard let walked = walk.first, let last: Int64 = try walked.getIfPresent("last") else {
            return JobPage(jobs: [], next: nil)
        }
        let isLast: Bool = try walked.get("count", as: Int64.self) < Self.walkCount
        let matches: Int64 = try walked.get("matches")
        // With so many matches among the first texts, a page is full before the long walk ends, unless other conditions leave few of them.
        if !isLast, conditions.isEmpty, matches * Self.longWalkCount >= Int64(filter.limit) * Self.walkCount {
            return try page(of: try await find(needle, beyond(start)))
        }
        if !isLast, matches < min(Int64(filter.limit), Self.commonCount) {
            return try await pageByIndex(needle, beyond: start)
        }
        let near = try await find(needle, "\(beyond(start)) AND \(notBeyond(last))")
        if near.count == filter.limit || isLast { return try page(of: near) }
        guard matches < Self.commonCount else {
            let jobs = try jobs(near)
            return JobPage(jobs: jobs, next: try await id(of: last) ?? jobs.last?.id)
        }
        return try await pageByIndex(needle, beyond: start)
    }

    /// Whether the conditions besides the text leave few jobs.
    func hasFewBesides(_ maximum: Int = JobSearch.fewMaximum) async throws -> Bool {
        if filter.isScoped, try await scopes().map(\.count).sumSaturating() <= maximum { return true }
        guard filter.narrowsByIndex else { return false }
        return try await hasFew(PostgreSQLStore.all(conditions), maximum)
    }

    /// Compares the texts of the few jobs that meet the other conditions.
    private func findAmongFew(_ needle: String, _ range: Statement) async throws -> Rows {
        let condition = PostgreSQLStore.all([range] + conditions)
        return try await transaction.execute(
            """
            SELECT id, record FROM \(Self.few(condition, having: needle))
            ORDER BY \(isNewestFirst ? "seq DESC" as Statement : "seq") LIMIT \(Int64(filter.limit))
            """)
    }

    /// The few jobs that meet a condition and whose texts contain the needle. OFFSET has the server find the few by their index, and look up
    /// one text after the other: it would take them to be many, and walk all jobs.
    static func few(_ condition: Statement, having needle: String) -> Statement {
        """
        (SELECT seq, id, record FROM jobs WHERE \(condition) OFFSET 0) AS few CROSS JOIN LATERAL (
            SELECT 1 FROM texts WHERE job = few.seq AND strpos(text, \(needle)) > 0 OFFSET 0
        ) AS found
        """
    }

    /// Compares texts in the order of their jobs: the index by trigrams does not know `strpos`. Jobs are looked up one by one, since the
    /// server, which takes matches to be frequent, would read every job beside every text.
    private func find(_ needle: String, _ condition: Statement) async throws -> Rows {
        try await transaction.execute(
            """
            SELECT found.* FROM texts CROSS JOIN LATERAL (
                SELECT id, record FROM jobs WHERE seq = texts.job AND \(PostgreSQLStore.all(conditions)) OFFSET 0
            ) AS found WHERE \(condition) AND strpos(text, \(needle)) > 0
            ORDER BY texts.\(order) LIMIT \(Int64(filter.limit))
            """)
    }

    /// Takes candidates from the index in the order of the listing, step by step, and looks at each. The page ends, full or not, when its time is
    /// up or when a number of candidates was looked at; the next page goes on from there.
    private func pageByIndex(_ needle: String, beyond start: Int64?) async throws -> JobPage {
        let begin = ContinuousClock.now
        let bounds = TextSearch.Bounds()
        let match = try await RareWords.candidates(for: needle, in: transaction)
        var (jobs, place, left) = ([] as [LedgerJob], start, bounds.candidateCountMaximum)
        var stepCount = conditions.isEmpty ? filter.limit : max(filter.limit, Self.stepCount)
        while true {
            let candidates = try await transaction.execute(
                TextBlocks.candidates(match, beyond(place), isNewestFirst: isNewestFirst, limit: stepCount)
            ).map { try $0.get("job", as: Int64.self) }
            let room = filter.limit - jobs.count
            let found = try await fitting(candidates, needle, limit: room)
            jobs += try self.jobs(found)
            if found.count == room, let last = found.last {
                return JobPage(jobs: jobs, next: JobID(try last.get("id")) ?? jobs.last?.id)
            }
            guard candidates.count == stepCount, let last = candidates.last else {
                return JobPage(jobs: jobs, next: nil)
            }
            left -= candidates.count
            if left <= 0 || begin.duration(to: .now) >= bounds.pageMaximum {
                return JobPage(jobs: jobs, next: try await id(of: last) ?? jobs.last?.id)
            }
            place = last
            stepCount = min(stepCount * 2, max(filter.limit, Self.stepCountMaximum))
        }
    }

    /// The first candidates that have the text and meet the other conditions, in the candidates' order.
    private func fitting(_ candidates: [Int64], _ needle: String, limit: Int) async throws -> Rows {
        try await transaction.execute(
            """
            SELECT found.* FROM unnest(\(candidates)) WITH ORDINALITY AS candidates (job, place) CROSS JOIN LATERAL (
                SELECT id, record FROM jobs WHERE seq = candidates.job AND \(PostgreSQLStore.all(conditions)) AND EXISTS (
                    SELECT 1 FROM texts WHERE job = candidates.job AND strpos(text, \(needle)) > 0
                ) OFFSET 0
            ) AS found ORDER BY candidates.place LIMIT \(Int64(limit))
            """)
    }

    private func id(of sequence: Int64) async throws -> JobID? {
        let found = try await transaction.execute("SELECT id FROM jobs WHERE seq = \(sequence)").first
        return try found.flatMap { JobID(try $0.get("id")) }
    }

    /// The order of the rows of `texts`.
    private var order: Statement { isNewestFirst ? "job DESC" : "job" }

    private func beyond(_ place: Int64?, column: Statement = "job") -> Statement {
        guard let place else { return "true" }
        return isNewestFirst ? "\(column) < \(place)" : "\(column) > \(place)"
    }

    private func notBeyond(_ place: Int64) -> Statement { isNewestFirst ? "job >= \(place)" : "job <= \(place)" }

    /// The pattern for LIKE, whose own characters are escaped.
    static func pattern(_ needle: String) -> String {
        "%" + needle.unicodeScalars.map { "\\%_".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined() + "%"
    }
}

extension LedgerFilter {
    /// Whether the filter has a condition beside queue, destination, status and text, each of which has an index.
    fileprivate var narrowsByIndex: Bool {
        idempotencyKey != nil || batch != nil || client != nil || code != nil
            || !(timeConditionsInPostgreSQL + endConditionsInPostgreSQL).isEmpty
    }
}
