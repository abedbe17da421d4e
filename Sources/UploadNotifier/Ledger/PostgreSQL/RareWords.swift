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

    /// A word that more of the sample have tells nothing.
    private static let shareMaximum = 0.9
    /// Shares that differ by less are taken to be the same.
    private static let shareError = 0.01
    /// The most letters of a rare and of another word that are asked for. The index looks for each three of them.
    private static let (rareCount, commonCount) = (6, 4)

    /// A word, and a shorter part of it, each with the share of the sample that has it, from 0 to 1.
    struct Sampled: Hashable {
        var word: String
        var share: Double
        var part: String
        var partShare: Double
    }

    /// - Returns: parts of the text; empty if the index has to be asked for all of it.
    static func of(_ needle: String, in transaction: Transaction) async throws -> [String] {
        chosen(try await sampled(needle, in: transaction)).words
    }

    /// The condition that a row of `texts` may have the text, which the index can answer. The whole text is compared where that is needed for few
    /// rows only.
    static func candidates(for needle: String, in transaction: Transaction) async throws -> Statement {
        let chosen = chosen(try await sampled(needle, in: transaction))
        return chosen.areRare ? condition(needle, chosen.words) : candidates(needle, chosen.words)
    }

    private static func sampled(_ needle: String, in transaction: Transaction) async throws -> [Sampled] {
        let words = words(of: needle).map { (ending(of: $0, rareCount), ending(of: $0, commonCount)) }
        guard !words.isEmpty else { return [] }
        let counts = try await transaction.execute(
            """
            SELECT word, count(*) AS count, count(*) FILTER (WHERE strpos(text, word) > 0) AS matches
            FROM unnest(\(Set(words.flatMap { [$0, $1] }).sorted())) AS words (word) CROSS JOIN (
                (SELECT text FROM texts ORDER BY job LIMIT \(sampleCount))
                UNION ALL (SELECT text FROM texts ORDER BY job DESC LIMIT \(sampleCount))
            ) AS sample GROUP BY word
            """)
        let shares = try counts.reduce(into: [String: Double]()) { shares, row in
            let (count, matches): (Int64, Int64) = (try row.get("count"), try row.get("matches"))
            shares[try row.get("word")] = Double(matches) / Double(max(1, count))
        }
        return words.map { word, part in
            Sampled(word: word, share: shares[word] ?? 1, part: part, partShare: shares[part] ?? 1)
        }
    }

    /// Rare words lead to few jobs. Where none is rare, the index would read the list of each trigram for nothing, so a shorter part of a word
    /// is enough that hardly more jobs have.
    static func chosen(_ words: [Sampled]) -> (words: [String], areRare: Bool) {
        let least = words.map(\.share).min() ?? 1
        let rare = words.filter { $0.share <= min(share, least + shareError) }
        guard rare.isEmpty else { return (rare.map(\.word), areRare: true) }
        let others = words.filter { $0.share <= shareMaximum }
        return (others.map { $0.partShare <= $0.share + share ? $0.part : $0.word }, areRare: false)
    }

    /// The last letters of a word, where numbers differ, without the characters beside them; a word of two letters as it is.
    static func ending(of word: String, _ count: Int) -> String {
        let letters = word.unicodeScalars.drop { !isWord($0) }.prefix { isWord($0) }
        return letters.count < 3 ? word : String(String.UnicodeScalarView(letters.suffix(count)))
    }

    /// The condition that a row of `texts` has the text.
    /// - Parameter words: parts of it; empty where the index is asked for all of it.
    static func condition(_ needle: String, _ words: [String]) -> Statement {
        let candidates = candidates(needle, words)
        return words.isEmpty ? candidates : PostgreSQLStore.all([candidates, "strpos(text, \(needle)) > 0"])
    }

    private static func candidates(_ needle: String, _ words: [String]) -> Statement {
        PostgreSQLStore.all(
            (words.isEmpty ? [needle] : words).map { "text LIKE \(PostgreSQLSearch.pattern($0))" as Statement })
    }

    /// The words with the characters beside them, which say where they begin and end. A trigram is three letters or digits, of which a
    /// known end of a word counts as one (https://www.postgresql.org/docs/15/pgtrgm.html).
    static func words(of needle: String) -> [String] {
        let characters = Array(needle.unicodeScalars)
        var words: [String] = []
        var start = 0
        while start < characters.count, words.count < wordCountMaximum {
            guard isWord(characters[start]) else {
                start += 1
                continue
            }
            let end = (start..<characters.count).first { !isWord(characters[$0]) } ?? characters.count
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

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
    }
}
