import PostgreSQL

/// Chooses the words of a text to search for by which the index is asked. An index by trigrams reads the list of each trigram, and
/// the lists of words that all jobs have (`owner=user-`) are as long as the table: the rare words alone (`77`) lead to the same jobs.
enum RareWords {
    /// The jobs at each end of the table whose texts say how common a word is.
    private static let sampleCount: Int64 = 250
    /// The largest share of the sample that has a rare word.
    private static let share = 0.05
    /// The most words of a text that are looked at.
    private static let wordCountMaximum = 16

    /// - Returns: rare parts of the text; empty if the sample has none, or has no job.
    static func of(_ needle: String, in transaction: Transaction) async throws -> [String] {
        let words = words(of: needle)
        guard words.count > 1 else { return [] }
        let counts = try await transaction.execute(
            """
            SELECT word, count(*) AS count, count(*) FILTER (WHERE strpos(text, word) > 0) AS matches
            FROM unnest(\(words)) AS words (word) CROSS JOIN (
                (SELECT text FROM texts ORDER BY job LIMIT \(sampleCount))
                UNION ALL (SELECT text FROM texts ORDER BY job DESC LIMIT \(sampleCount))
            ) AS sample GROUP BY word ORDER BY word
            """)
        return try counts.compactMap { row in
            let (count, matches): (Int64, Int64) = (try row.get("count"), try row.get("matches"))
            return Double(matches) <= share * Double(count) ? try row.get("word") : nil
        }
    }

    /// The condition that a row of `texts` has the text.
    /// - Parameter words: its rare words; empty where the index is asked for all of it.
    static func condition(_ needle: String, _ words: [String]) -> Statement {
        guard !words.isEmpty else { return "text LIKE \(PostgreSQLSearch.pattern(needle))" }
        return PostgreSQLStore.all(
            words.map { "text LIKE \(PostgreSQLSearch.pattern($0))" as Statement } + ["strpos(text, \(needle)) > 0"])
    }

    /// The words with the characters beside them, which say where they begin and end. A trigram is three letters or digits, of which a
    /// known end of a word counts as one (https://www.postgresql.org/docs/15/pgtrgm.html).
    static func words(of needle: String) -> [String] {
        let characters = Array(needle.unicodeScalars)
        func isWord(_ index: Int) -> Bool {
            let scalar = characters[index]
            return scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        }
        var words: [String] = []
        var start = 0
        while start < characters.count, words.count < wordCountMaximum {
            guard isWord(start) else {
                start += 1
                continue
            }
            let end = (start..<characters.count).first { !isWord($0) } ?? characters.count
            let knownEnds = (start > 0 ? 1 : 0) + (end < characters.count ? 1 : 0)
            if end - start + knownEnds >= 3 {
                var word = String.UnicodeScalarView()
                word.append(contentsOf: characters[max(start - 1, 0)..<min(end + 1, characters.count)])
                words.append(String(word))
            }
            start = end
        }
        return words
    }
}
