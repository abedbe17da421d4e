import Foundation
import GRDB
import Uploads

/// Reads the tables of a ledger in SQLite for a copy. The ledger's lock keeps notifiers away.
struct SQLiteCopySource: LedgerCopySource {
    let ledger: Ledger

    var path: String { ledger.path }

    func identity() async throws(UploadError) -> LedgerIdentity { try await ledger.identity() }

    func checkUnchanged() async throws(UploadError) {}

    func count(of table: LedgerTable) async throws(UploadError) -> Int {
        try await ledger.read { db in
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM \(table.name) WHERE \(table.condition ?? "1")") ?? 0
        }
    }

    func page(
        of table: LedgerTable, after key: LedgerRow, limit: Int
    ) async throws(UploadError) -> [LedgerRow] {
        try await ledger.read { db in
            let found = try Row.fetchCursor(
                db.cachedStatement(sql: Self.pageSQL(of: table, hasKey: !key.isEmpty)),
                arguments: StatementArguments(key.map(\.inSQLite)) + [limit])
            var (rows, bytes): ([LedgerRow], Int) = ([], 0)
            while bytes < LedgerCopy.pageBytes, let row = try found.next() {
                let values = Self.values(of: row, in: table)
                bytes += values.byteCount
                rows.append(values)
            }
            return rows
        }
    }

    private static func pageSQL(of table: LedgerTable, hasKey: Bool) -> String {
        let columns = table.sharedColumns.map { $0.sqlite ?? "\(table.name).\"\($0.name)\"" }
        let key = table.key.joined(separator: ", ")
        let beyond = "(\(key)) > (\(table.key.map { _ in "?" }.joined(separator: ", ")))"
        return """
            SELECT \(columns.joined(separator: ", ")) FROM \(table.name)
            WHERE \(table.condition ?? "1") AND \(hasKey ? beyond : "1") ORDER BY \(key) LIMIT ?
            """
    }

    private static func values(of row: Row, in table: LedgerTable) -> LedgerRow {
        var index = 0
        return table.columns.map { column in
            if column.isDerived { return .null }
            defer { index += 1 }
            return LedgerValue(row[index] as DatabaseValue, column.kind)
        }
    }

    func lastNumbers() async throws(UploadError) -> [String: Int64] {
        try await ledger.read { db in
            // Only tables with AUTOINCREMENT have a row here.
            let given = try Row.fetchAll(db, sql: "SELECT name, seq FROM sqlite_sequence")
            return try LedgerTable.numbered.reduce(into: [:]) { numbers, table in
                let last = try Int64.fetchOne(db, sql: "SELECT max(\(table.value)) FROM \(table.key)") ?? 0
                let row = given.first { $0["name"] == table.key }
                numbers[table.key] = max(last, row?["seq"] ?? 0)
            }
        }
    }
}

extension LedgerValue {
    /// A value of a column whose table is STRICT, and so has values of one type.
    fileprivate init(_ value: DatabaseValue, _ kind: LedgerTable.Kind) {
        self =
            switch value.storage {
            case .null: .null
            case .int64(let number): kind == .boolean ? .boolean(number != 0) : .integer(number)
            case .double(let number): .real(number)
            case .string(let text): .text(text)
            case .blob(let bytes): .bytes(bytes)
            }
    }

    var inSQLite: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .real(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.databaseValue
        case .boolean(let isTrue): isTrue.databaseValue
        }
    }
}
