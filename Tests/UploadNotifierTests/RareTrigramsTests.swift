import GRDB
import Testing

@testable import UploadNotifier

@Suite("The search for rare texts in SQLite")
struct RareTrigramsTests {
    @Test(arguments: [
        ("abcd", ["abc", "bcd"]), ("a\"b", ["a\"b"]), ("größ", ["grö", "röß"]), ("aaaa", ["aaa"]), ("ab", []),
    ])
    func `a text has each of its trigrams once`(text: String, trigrams: [String]) {
        #expect(RareTrigrams.trigrams(of: text) == trigrams)
    }

    @Test func `a query quotes each trigram, whatever follows a quote`() throws {
        let query = try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TEMP TABLE jobs (seq INTEGER PRIMARY KEY, text TEXT)")
            return try RareTrigrams.query(for: "a\"\u{301}b", in: db)
        }
        #expect(query.unicodeScalars.elementsEqual("\"\"\"\u{301}b\" AND \"a\"\"\u{301}\"".unicodeScalars))
    }

    @Test(arguments: [
        ([1, 0.02, 0], ["b", "c"]), ([0.5, 1, 0.6], ["a"]), ([1, 1, 1], ["a", "b", "c"]), ([], []),
    ])
    func `the rare ones are taken, or the rarest where all are common`(shares: [Double], trigrams: [String]) {
        #expect(RareTrigrams.rare(zip(["a", "b", "c"], shares).map { ($0, $1) }) == trigrams)
    }
}
