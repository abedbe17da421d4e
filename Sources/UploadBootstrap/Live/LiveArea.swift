/// The lines at the foot of a terminal that a program redraws in place, below the lines that scroll. It makes the text to write.
struct LiveArea {
    /// The columns that each line of the area filled when it was drawn last.
    private var drawn: [Int] = []

    /// Whether the terminal shows any line of the area.
    var isDrawn: Bool { !drawn.isEmpty }

    /// - Parameters:
    ///   - told: lines that are printed above the area and scroll.
    ///   - lines: the area's lines from now on, none wider than the terminal.
    ///   - columns: the terminal's present width. A terminal that was wider at the last drawing has wrapped the drawn lines since.
    mutating func update(telling told: [String] = [], lines: [String], columns: Int) -> String {
        // Names and messages come from other parties, so their control characters are neutralized: only this area steers the terminal.
        let told = told.map { PlainText.escaped($0).replacing("\n", with: "\n  ") }
        let lines = lines.map(PlainText.safe)
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + columns - 1) / max(1, columns)) }
        drawn = lines.map { PlainText.width($0) }
        // Moves to the area's first row, overwrites its rows and clears what is left below: this does not flicker.
        let up = rows > 1 ? "\r\u{1B}[\(rows - 1)A" : rows == 1 ? "\r" : ""
        let end = rows > 0 ? "\u{1B}[J" : ""
        return up + told.map { $0 + "\u{1B}[K\n" }.joined()
            + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + end
    }

    /// Removes the area's lines from the terminal.
    mutating func clear(columns: Int) -> String { update(lines: [], columns: columns) }
}
