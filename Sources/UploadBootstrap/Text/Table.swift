/// A table for people: a pure rendering that fits its columns into a width.
struct Table: Hashable {
    struct Column: Hashable {
        var title: String
        /// Aligned to the right.
        var isNumber = false
        /// Columns of the terminal that it can be cut down to; nil is never cut.
        var minimum: Int?
        /// Cut in the middle rather than at the end.
        var keepsEnd = false
        /// Left out where there is too little room, the highest first; nil always stays. What stays fits 60 columns.
        var dropOrder: Int?
    }

    private static let gap = 2

    var columns: [Column]
    /// A cell for each column.
    var rows: [[String]] = []

    init(_ columns: [Column], rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows.map { $0.map(PlainText.safe) }
    }

    /// The head and the rows, none wider than the terminal where that can be had without cutting what must stay whole.
    func lines(width: Int) -> [String] {
        var widths = natural
        let least = columns.indices.map { min(widths[$0], columns[$0].minimum ?? .max) }
        var shown = columns.indices.filter { columns[$0].dropOrder == nil }
        let optional = columns.indices.filter { columns[$0].dropOrder != nil }
            .sorted { columns[$0].dropOrder ?? 0 < columns[$1].dropOrder ?? 0 }
        for index in optional {
            guard total(least, of: shown + [index]) <= width else { break }
            shown.append(index)
        }
        shown.sort()
        shrink(&widths, of: shown, to: width)
        return ([columns.map(\.title)] + rows).map { cells in line(cells, shown, widths) }
    }

    private var natural: [Int] {
        columns.indices.map { index in
            rows.reduce(PlainText.width(columns[index].title)) { max($0, PlainText.width($1[index])) }
        }
    }

    private func total(_ widths: [Int], of shown: [Int]) -> Int {
        shown.reduce(0) { $0 + widths[$1] } + Self.gap * max(0, shown.count - 1)
    }

    /// Takes from the widest that may be cut, until all fit or none can give more.
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
