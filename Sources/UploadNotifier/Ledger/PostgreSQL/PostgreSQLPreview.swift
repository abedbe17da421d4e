import PostgreSQL
import Uploads

/// Counts the jobs that an order with a filter would be about, as far as bounds.
struct PostgreSQLPreview {
    /// A text is common if one in so many has it of the jobs that are examined first.
    private static let commonOneIn = 100

    private let filter: OrderFilter
    private let verb: Verb
    private let bounds: OrderPreview.Bounds
    private let transaction: Transaction
    private let rows: DamagedRows

    init(
        _ filter: OrderFilter, _ verb: Verb, _ bounds: OrderPreview.Bounds, in transaction: Transaction,
        _ rows: DamagedRows
    ) {
        self.filter = filter
        self.verb = verb
        self.bounds = bounds
        self.transaction = transaction
        self.rows = rows
    }

    func preview() async throws -> OrderPreview {
        if let text = filter.text { return try await preview(SearchText.fold(text).withoutNUL) }
        if !PostgreSQLStore.resumesOnly(filter, verb), let conditions = PostgreSQLStore.tallied(filter, verb) {
            let condition = PostgreSQLStore.all(conditions)
            let all = try await count("SELECT coalesce(sum(jobs), 0)::bigint AS count FROM tallies WHERE \(condition)")
            guard verb == .forget else { return OrderPreview(matched: all) }
            return OrderPreview(matched: max(0, all - (try await forgottenCount(limit: .max))))
        }
        let limit = bounds.countMaximum.addingSaturating(1)
        guard verb == .forget else {
            let found = try await count(limited("jobs WHERE \(PostgreSQLStore.condition(filter, verb))", limit))
            return OrderPreview(counting: found, limit: limit)
        }
        let found = try await count(limited("jobs WHERE \(PostgreSQLStore.listed(filter, verb))", limit))
        let forgotten = try await forgottenCount(limit: limit)
        // Where more are forgotten than are counted, only all of them tell how many are not.
        guard let preview = OrderPreview(counting: found, limit: limit, without: forgotten) else {
            return OrderPreview(matched: try await count(PostgreSQLStore.counting(filter, verb)))
        }
        return preview
    }

    /// How many of the jobs that a listing would show have been forgotten.
    private func forgottenCount(limit: Int) async throws -> Int {
        try await count(
            limited("jobs WHERE forgotten IS NOT NULL AND \(PostgreSQLStore.listed(filter, verb))", limit))
    }

    private func limited(_ found: Statement, _ limit: Int) -> Statement {
        "SELECT count(*) AS count FROM (SELECT 1 FROM \(found) LIMIT \(Int64(limit))) AS found"
    }

    private func count(_ statement: Statement) async throws -> Int {
        let found = try await transaction.execute(statement).first
        return Int(clamping: try found?.getIfPresent("count", as: Int64.self) ?? 0)
    }

    // MARK: With a text

    private func preview(_ needle: String) async throws -> OrderPreview {
        let search = PostgreSQLSearch(filter.listing(for: verb), in: transaction, rows)
        if try await search.hasFewBesides(bounds.examinedMaximum) {
            let few = PostgreSQLSearch.few(condition, having: needle)
            return OrderPreview(matched: try await count("SELECT count(*) AS count FROM \(few)"))
        }
        let maximum = Int64(bounds.examinedMaximum)
        let isIndexed = needle.unicodeScalars.count >= LedgerFilter.textCountMinimum
        let newest = try await transaction.execute(
            """
            SELECT count(*) AS examined, count(*) FILTER (WHERE has_text) AS with_text,
            count(*) FILTER (WHERE has_text AND EXISTS (SELECT 1 FROM jobs WHERE seq = job AND \(condition))) AS matched
            FROM (
                SELECT job, strpos(text, \(needle)) > 0 AS has_text FROM texts ORDER BY job DESC LIMIT \(maximum + 1)
            ) AS newest
            """)[0]
        let mayBeMore: Bool = try newest.get("examined", as: Int64.self) > maximum
        let withText = try newest.get("with_text", as: Int64.self)
        if !mayBeMore || !isIndexed || withText * Int64(Self.commonOneIn) >= maximum {
            return OrderPreview(
                matched: Int(clamping: try newest.get("matched", as: Int64.self)), mayBeMore: mayBeMore)
        }
        return try await previewByIndex(needle, maximum)
    }

    private func previewByIndex(_ needle: String, _ maximum: Int64) async throws -> OrderPreview {
        let match = try await RareWords.candidates(for: needle, in: transaction)
        let candidates = TextBlocks.candidates(match, "true", isNewestFirst: true, limit: Int(maximum) + 1)
        let found = try await transaction.execute(
            """
            SELECT count(*) AS examined, count(*) FILTER (WHERE EXISTS (
                SELECT 1 FROM texts JOIN jobs ON seq = texts.job
                WHERE texts.job = candidates.job AND strpos(text, \(needle)) > 0 AND \(condition)
            )) AS matched FROM (\(candidates)) AS candidates
            """)[0]
        return OrderPreview(
            matched: Int(clamping: min(maximum, try found.get("matched"))),
            mayBeMore: try found.get("examined", as: Int64.self) > maximum)
    }

    /// The conditions besides the text.
    private var condition: Statement {
        var besides = filter
        besides.text = nil
        return PostgreSQLStore.condition(besides, verb)
    }
}
