import Foundation
import Logging
import Testing
import Uploads

@testable import UploadBootstrap

/// Text of other parties cannot steer a terminal.
struct PlainTextTests {
    /// A text with ESC, the C1 control sequence introducer, DEL, BEL, and a character that changes the text direction.
    static let steering = "a\u{1B}[31mb\u{9B}2Jc\u{7F}d\u{07}e\u{202E}f"

    private func steers(_ text: String) -> Bool {
        text.unicodeScalars.contains {
            (0..<0x20).contains($0.value) && $0 != "\n" || (0x7F..<0xA0).contains($0.value) || $0 == "\u{202E}"
        }
    }

    @Test func `what steers is written as JSON writes it, and JSON stays what it was`() throws {
        #expect(PlainText.escaped("plain\nlines\tof text — 日本") == "plain\nlines\tof text — 日本")
        #expect(PlainText.escaped("a\u{1B}[0mb\u{9B}") == #"a\u001b[0mb\u009b"#)
        let object: JSONValue = .object(["name": .string(Self.steering)])
        let line = PlainText.escaped(String(decoding: try WireJSON.encode(object), as: UTF8.self))
        #expect(!steers(line))
        #expect(try WireJSON.decode(JSONValue.self, from: Data(line.utf8)) == object)
    }

    @Test func `log lines of all formats are neutral`() {
        for format in LogFormat.allCases {
            let line = StandardErrorLogHandler.line(
                format, at: Date(timeIntervalSince1970: 0), .info, Self.steering, ["path": "\(Self.steering)"])
            #expect(!steers(line), "\(line)")
        }
    }

    @Test func `what is told above a live area is neutral`() {
        var area = LiveArea()
        let bare = area.update(lines: ["x"], columns: 80)
        #expect(bare.contains("\u{1B}[K"))
        let text = area.update(telling: [Self.steering], lines: [Self.steering], columns: 80)
        #expect(!text.contains("\u{1B}[31m") && !text.contains("\u{9B}") && !text.contains("\u{202E}"))
    }

    @Test func `whatever turns the direction of text is taken away`() {
        // UAX #9, section 2: explicit and implicit directional formatting characters.
        for value: UInt32 in [0x061C, 0x200E, 0x200F] + Array(0x202A...0x202E) + Array(0x2066...0x2069) {
            let scalar = Unicode.Scalar(value).map(String.init) ?? ""
            #expect(PlainText.safe("a\(scalar)b") == "a\u{FFFD}b", "U+\(String(value, radix: 16))")
            #expect(PlainText.escaped("a\(scalar)b").utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test func `a swept name and its reason make no lines of their own`() {
        var sweep = SweepReport(dryRun: false, listed: 2)
        let since = Date(timeIntervalSince1970: 0)
        sweep.add(SweepReport.Item(name: "a\nremoved b\u{1B}[31m", since: since, removed: true))
        sweep.add(SweepReport.Item(name: "c\r\nd", since: since, reason: "refused\nremoved e"))
        let order = UploadOrder(.sweepStaging(dryRun: false), by: "tests")
        let report = OrderReport(
            OrderAnswer(order: order.id, sweep: sweep), to: order, waited: 1, printsJSON: false)
        #expect(report.output.count == 1 && report.errors.count == 2)
        for line in report.output + report.errors {
            #expect(!line.contains { $0.isNewline } && !steers(line), "\(line)")
        }
    }

    @Test func `a reason for a refusal makes no line of its own`() {
        let order = UploadOrder(.jobs(.cancel, [JobID()]), by: "tests")
        let answer = OrderAnswer(
            order: order.id, matched: 1, done: 0, jobs: [OrderAnswer.Job(id: JobID(), reason: "no\ndone")])
        let report = OrderReport(answer, to: order, waited: 1, printsJSON: false)
        #expect(report.errors.allSatisfy { !$0.contains { $0.isNewline } })
    }
}
