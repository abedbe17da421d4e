import Foundation
import GRDB
import Uploads

/// Chooses the trigrams of a text to search for by which SQLite's index is asked. It reads the list of each trigram, and the lists of those
/// that all jobs have (`own`, `wne`) are as long as the table: the rare ones alone (`-77`) lead to hardly more jobs.
enum RareTrigrams {
    /// The jobs at each end of the table whose texts say how common a trigram is.
    private static let sampleCount = 100
    /// The largest share of the sample that has a rare trigram, unless all are more common.
    private static let share = 0.05
    /// The most trigrams of a text that are looked at.
    private static let countMaximum = 32

    /// The query for FTS5: the rare trigrams of the text, each quoted (https://sqlite.org/fts5.html#the_trigram_tokenizer). The index does
    /// not hold their positions, so each match has to be checked.
    static func query(for text: String, in db: Database) throws -> String {
        let trigrams = trigrams(of: text)
        let rare = rare(try shares(of: Array(trigrams.prefix(countMaximum)), in: db))
        return (rare.isEmpty ? trigrams : rare).map { "\"\($0.replacing(exactly: "\"", with: "\"\""))\"" }.joined(
            separator: " AND ")
    }

    /// - Parameter shares: trigrams, each with the share of the sample that has it, from 0 to 1.
    static func rare(_ shares: [(trigram: String, share: Double)]) -> [String] {
        let most = max(share, shares.map(\.share).min() ?? 0)
        return shares.filter { $0.share <= most }.map(\.trigram)
    }

    static func trigrams(of text: String) -> [String] {
        let scalars = Array(text.unicodeScalars.prefix(LedgerFilter.textCountMaximum))
        return Set(scalars.indices.dropLast(2).map { String(String.UnicodeScalarView(scalars[$0..<$0 + 3])) }).sorted()
    }

    /// The share of the sample that has each trigram; empty if the ledger has no job.
    private static func shares(
        of trigrams: [String], in db: Database
    ) throws -> [(trigram: String, share: Double)] {
        let list = String(decoding: try JSONEncoder().encode(trigrams), as: UTF8.self)
        let statement = try db.cachedStatement(
            sql: """
                SELECT value AS trigram, avg(instr(text, value) > 0) AS share FROM json_each(?) CROSS JOIN (
                    SELECT text FROM (SELECT text FROM jobs ORDER BY seq LIMIT \(sampleCount))
                    UNION ALL SELECT text FROM (SELECT text FROM jobs ORDER BY seq DESC LIMIT \(sampleCount))
                ) GROUP BY value
                """)
        return try Row.fetchAll(statement, arguments: [list]).map { ($0["trigram"], $0["share"]) }
    }
}
