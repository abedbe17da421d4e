import Foundation

/// A table that both kinds of ledgers have, as a copy sees it.
struct LedgerTable: Hashable, Sendable {
    var name: String
    /// The columns by which the rows are ordered, and which tell them apart.
    var key: [String]
    var columns: [Column]
    /// The rows that are copied, in the SQL of both databases; nil: all.
    var condition: String?
    /// Whether triggers fill the table while jobs are copied, so that the copy has to empty it first.
    var isKeptByTriggers = false
    /// Columns of sums, of which PostgreSQL has a row for each digit of the jobs' ids.
    var summed: [String] = []

    struct Column: Hashable, Sendable {
        var name: String
        var kind: Kind
        /// Whether the column exists in PostgreSQL alone, where it repeats a part of the row's record.
        var isDerived = false
        /// The SQL by which the column is read, where its name is not enough.
        var sqlite: String?
        var postgreSQL: String?
    }

    enum Kind: Hashable, Sendable {
        case integer, real, text, bytes
        /// 0 and 1 in SQLite.
        case boolean
        /// A name that may hold U+0000: `bytea` in PostgreSQL; in SQLite a text, which ends before that character.
        case name
    }

    init(
        _ name: String, key: String..., columns: [Column], condition: String? = nil, isKeptByTriggers: Bool = false,
        summed: String...
    ) {
        self.name = name
        self.key = key
        self.columns = columns
        self.condition = condition
        self.isKeptByTriggers = isKeptByTriggers
        self.summed = summed
    }

    /// The table in PostgreSQL, under its name.
    var postgreSQLRows: String {
        guard !summed.isEmpty else { return name }
        let sums = summed.map { column in "sum(\(column))\(column == "bytes" ? "" : "::bigint") AS \(column)" }
        let keys = key.joined(separator: ", ")
        return "(SELECT \(keys), \(sums.joined(separator: ", ")) FROM \(name) GROUP BY \(keys)) AS \(name)"
    }

    /// The columns that SQLite has as well.
    var sharedColumns: [Column] { columns.filter { !$0.isDerived } }

    /// The place of a column.
    /// - Precondition: the table has the column.
    func index(of column: String) -> Int { columns.firstIndex { $0.name == column } ?? 0 }

    /// The values of a row's key.
    func key(of row: LedgerRow) -> LedgerRow { key.map { row[index(of: $0)] } }

    /// The row as it is compared: without derived columns, and with names as SQLite keeps them.
    func compared(_ row: LedgerRow) -> LedgerRow {
        zip(columns, row).compactMap { column, value in
            if column.isDerived { return nil }
            guard column.kind == .name, case .text(let name) = value else { return value }
            return .text(name.untilNUL)
        }
    }
}

extension String {
    /// The text up to its first U+0000, where SQLite's functions end it.
    var untilNUL: String {
        guard let end = utf8.firstIndex(of: 0) else { return self }
        return String(self[..<end])
    }
}
