/// TextLines at the foot of a terminal that are drawn over and over, below what scrolls: makes the text to write.
struct LiveArea {
    /// Columns that each line on the terminal filled when it was drawn.
    private var drawn: [Int] = []

    /// Whether anything is drawn.
    var isDrawn: Bool { !drawn.isEmpty }

    /// - Parameters:
    ///   - told: lines that scroll, above.
    ///   - lines: what stands at the foot from now on, none wider than the terminal.
    ///   - columns: of the terminal as it is now; where it was wider, what was drawn has been broken since.
    mutating func update(telling told: [String] = [], lines: [String], columns: Int) -> String {
        // What is shown comes from anywhere; only this area may steer the terminal.
        let told = told.map { PlainText.escaped($0).replacing("\n", with: "\n  ") }
        let lines = lines.map(PlainText.safe)
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / max(1, columns)) }
        drawn = lines.map { PlainText.width($0) }
        // To the first row, over all that is there, and away with what is left: nothing flickers.
        let up = rows > 1 ? "\r\u{1B}[\(rows - 1)A" : rows == 1 ? "\r" : ""
        let end = rows > 0 ? "\u{1B}[J" : ""
        return up + told.map { $0 + "\u{1B}[K\n" }.joined()
            + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + end
    }

    /// Nothing stands at the foot any more.
    mutating func clear(columns: Int) -> String { update(lines: [], columns: columns) }
}
