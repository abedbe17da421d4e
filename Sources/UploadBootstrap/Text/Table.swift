// Why this folder is our own code: our tables must fit a terminal by its columns (wide characters fill two, combining marks none), leave
// out columns where the room is short, cut paths in the middle, and show names of other parties without their control characters. The
// package that was looked at, ordo-one/TextTable 0.0.2, counts characters, takes a fixed or the full width of each column and does none of
// this. Nothing was measured: speed does not matter here. A table package with these four abilities would replace `Table`, and most of
// `PlainText`. The programs print no colours, so a package such as onevcat/Rainbow has nothing to do here.

/// A table for people: a pure rendering that fits its columns into the terminal's width.
struct Table: Hashable {
    struct Column: Hashable {
        var title: String
        /// Aligns the cells to the right.
        var isNumber = false
        /// The fewest terminal columns that the column may be cut down to; nil: its cells are never cut.
        var minimum: Int?
        /// Cuts a cell in the middle instead of at the end.
        var keepsEnd = false
        /// The order in which columns are left out where there is too little room, the highest first; nil always stays. The columns that
        /// always stay fit into 60 terminal columns.
        var dropOrder: Int?
        /// Only a wide table shows the column.
        var isWide = false

        /// A column of wide tables only.
        static func wide(_ title: String, isNumber: Bool = false) -> Column {
            Column(title: title, isNumber: isNumber, isWide: true)
        }
    }

    private static let gap = 2

    var columns: [Column]
    /// The rows; each has a cell for each column.
    var rows: [[String]] = []

    init(_ columns: [Column], rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows.map { $0.map(PlainText.safe) }
    }

    /// The head and the rows. A line exceeds the width only where the columns that must not be cut do.
    /// - Parameters:
    ///   - width: nil shows every column whole, as for a program that reads it.
    ///   - isWide: whether it has all columns.
    func lines(width: Int?, hasHead: Bool = true, isWide: Bool = false) -> [String] {
        let width = width ?? .max
        var widths = natural
        let least = columns.indices.map { min(widths[$0], columns[$0].minimum ?? .max) }
        let candidates = columns.indices.filter { isWide || !columns[$0].isWide }
        var shown = candidates.filter { columns[$0].dropOrder == nil }
        let optional = candidates.filter { columns[$0].dropOrder != nil }
            .sorted { columns[$0].dropOrder ?? 0 < columns[$1].dropOrder ?? 0 }
        for index in optional {
            guard total(least, of: shown + [index]) <= width else { break }
            shown.append(index)
        }
        shown.sort()
        shrink(&widths, of: shown, to: width)
        return ((hasHead ? [columns.map(\.title)] : []) + rows).map { cells in line(cells, shown, widths) }
    }

    private var natural: [Int] {
        columns.indices.map { index in
            rows.reduce(PlainText.width(columns[index].title)) { max($0, PlainText.width($1[index])) }
        }
    }

    private func total(_ widths: [Int], of shown: [Int]) -> Int {
        shown.reduce(0) { $0 + widths[$1] } + Self.gap * max(0, shown.count - 1)
    }

    /// Narrows the widest column that may be cut, until the line fits or no column can be narrowed further.
    private func shrink(_ widths: inout [Int], of shown: [Int], to width: Int) {
        while total(widths, of: shown) > width {
            let giving = shown.filter { widths[$0] > columns[$0].minimum ?? .max }
            guard let widest = giving.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
        }
    }

    private func line(_ cells: [String], _ shown: [Int], _ widths: [Int]) -> String {
        var line = ""
        for index in shown {
            let cell = PlainText.cut(cells[index], to: widths[index], keepsEnd: columns[index].keepsEnd)
            let padding = String(repeating: " ", count: max(0, widths[index] - PlainText.width(cell)))
            if index != shown.first { line += String(repeating: " ", count: Self.gap) }
            line += columns[index].isNumber ? padding + cell : cell + padding
        }
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
