import Testing

@testable import UploadBootstrap

/// The screen of a terminal after writes: only the features that these tests need (wrapping lines, cursor up, erase).
private struct Screen {
    var columns: Int
    private(set) var rows: [String] = [""]
    private var row = 0
    private var column = 0

    init(columns: Int) { self.columns = columns }

    mutating func write(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": column = 0
            case "\n":
                column = 0
                row += 1
                if row == rows.count { rows.append("") }
            case "\u{1B}":
                rest.removeFirst()
                let number = rest.prefix { ("0"..."9").contains($0) }
                rest.removeFirst(number.count)
                switch rest.popFirst() {
                case "A": row = max(0, row - (Int(String(String.UnicodeScalarView(number))) ?? 1))
                case "K": rows[row] = String(rows[row].prefix(column))
                case "J":
                    rows[row] = String(rows[row].prefix(column))
                    rows.removeSubrange((row + 1)...)
                default: Issue.record("an escape sequence that is none of ours")
                }
            default:
                if column == columns {
                    column = 0
                    row += 1
                    if row == rows.count { rows.append("") }
                }
                var line = Array(rows[row])
                if column < line.count { line[column] = Character(scalar) } else { line.append(Character(scalar)) }
                rows[row] = String(line)
                column += 1
            }
        }
    }
}

struct LiveAreaTests {
    @Test func `what is told scrolls above, what stands at the foot is drawn over`() {
        var screen = Screen(columns: 20)
        var area = LiveArea()
        screen.write(area.update(lines: ["one", "two"], columns: 20))
        screen.write(area.update(telling: ["event"], lines: ["one!", "two", "three"], columns: 20))
        #expect(screen.rows == ["event", "one!", "two", "three"])
        screen.write(area.update(telling: ["another"], lines: ["1"], columns: 20))
        #expect(screen.rows == ["event", "another", "1"])
        screen.write(area.clear(columns: 20))
        #expect(screen.rows == ["event", "another", ""])
        #expect(!area.isDrawn)
    }

    @Test func `lines that a narrower terminal has broken are gone as well`() {
        var area = LiveArea()
        _ = area.update(lines: ["0123456789", "01234"], columns: 20)
        var screen = Screen(columns: 6)
        screen.write("event\n0123456789\n01234")
        #expect(screen.rows == ["event", "012345", "6789", "01234"])
        screen.write(area.update(lines: ["a"], columns: 6))
        #expect(screen.rows == ["event", "a"])
    }
}
