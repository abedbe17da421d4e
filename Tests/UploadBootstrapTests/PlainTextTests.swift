import Foundation
import Logging
import Testing
import Uploads

@testable import UploadBootstrap

/// Nothing that comes from outside steers a terminal.
struct PlainTextTests {
    /// ESC, the C1 control sequence introducer, DEL, BEL, and what turns the direction of text.
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

    @Test func `log lines of both formats are neutral`() {
        for format in [LogFormat.text, .json] {
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
}
