/// Turns results into the text to write, one after the other: a pure value that keeps no result.
struct ResultRows: Hashable, Sendable {
    enum Form: Hashable, Sendable {
        case lines
        /// A JSON array with an element a line.
        case array
    }

    let form: Form
    private var isBegun = false

    init(_ form: Form) { self.form = form }

    /// - Parameter row: of an array, one JSON value.
    mutating func text(of row: String) -> String {
        guard form == .array else { return row + "\n" }
        defer { isBegun = true }
        return (isBegun ? ",\n" : "[\n") + row
    }

    /// The text after the last row.
    /// - Parameter isWhole: whether all rows were written. An array that broke off before its first row is left out.
    func end(isWhole: Bool) -> String {
        guard form == .array else { return "" }
        return isBegun ? "\n]\n" : isWhole ? "[]\n" : ""
    }
}
