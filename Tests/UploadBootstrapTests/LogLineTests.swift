import Foundation
import Logging
import Testing

@testable import UploadBootstrap

struct LogLineTests {
    private let time = Date(timeIntervalSince1970: 1_790_000_000)

    @Test func `text has the time, the level, the message and sorted metadata`() {
        let line = StandardErrorLogHandler.line(
            .text, at: time, .warning, "job waits", ["queue": "q", "job": "a b", "attempt": "\(2)"])
        #expect(line == "2026-09-21T14:13:20.000Z warning job waits attempt=2 job=\"a b\" queue=q")
    }

    @Test func `the journal gets the priority, and no second time`() {
        for (level, number) in [(Logger.Level.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3)] {
            let line = StandardErrorLogHandler.line(.journal, at: time, level, "job waits", ["queue": "q"])
            #expect(line == "<\(number)>\(level) job waits queue=q")
        }
    }

    @Test(
        arguments: [
            ("text", "8:17", "socket:[17]", .journal), ("text", "8:17", "socket:[18]", .text),
            ("text", "8:17", "/dev/pts/0", .text), ("text", nil, "socket:[17]", .text),
            ("json", "8:17", "socket:[17]", .json),
        ] as [(String, String?, String?, LogFormat)])
    func `text becomes the journal's format where the journal reads it`(
        word: String, stream: String?, standardError: String?, format: LogFormat
    ) {
        let environment = stream.map { ["JOURNAL_STREAM": $0] } ?? [:]
        #expect(LogFormat(word, environment, standardError: standardError) == format)
    }

    @Test func `a line stays a line whatever is in it`() {
        let line = StandardErrorLogHandler.line(.text, at: time, .info, "a\nb", ["k": "x\u{1B}[31m\ny"])
        #expect(!line.contains("\n"))
        #expect(!line.contains("\u{1B}"))
    }

    @Test func `a quote ends no value, and neither does one with an accent`() {
        let line = StandardErrorLogHandler.line(
            .journal, at: time, .info, "m", ["a": "x=\u{301}", "b": "\"\u{301} c=d"])
        #expect(line == "<6>info m a=\"x=\u{301}\" b=\"\\\"\u{301} c=d\"")
    }

    @Test func `JSON is one object with nested metadata`() throws {
        let line = StandardErrorLogHandler.line(
            .json, at: time, .error, "quote \" and\nline", ["list": ["a", "b"], "n": .stringConvertible(5)])
        #expect(!line.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["time"] as? String == "2026-09-21T14:13:20.000Z")
        #expect(object["level"] as? String == "error")
        #expect(object["message"] as? String == "quote \" and\nline")
        let metadata = try #require(object["metadata"] as? [String: Any])
        #expect(metadata["list"] as? [String] == ["a", "b"])
        #expect(metadata["n"] as? Int == 5)
    }
}
