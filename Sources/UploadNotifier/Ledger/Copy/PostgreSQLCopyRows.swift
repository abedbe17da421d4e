import Foundation
import PostgreSQL
import Uploads

/// Reads the tables of a ledger in PostgreSQL for a copy.
struct PostgreSQLCopyRows: LedgerCopyTables {
    let path: String
    let execute: @Sendable (Statement) async throws -> Rows

    func count(of table: LedgerTable) async throws(UploadError) -> Int {
        try await use(table) {
            let condition = Statement(stringLiteral: table.condition ?? "true")
            let name = Statement(stringLiteral: table.postgreSQLRows)
            let found = try await execute("SELECT count(*) AS count FROM \(name) WHERE \(condition)")
            return Int(clamping: try found[0].get("count", as: Int64.self))
        }
    }

    func page(
        of table: LedgerTable, after key: LedgerRow, limit: Int
    ) async throws(UploadError) -> [LedgerRow] {
        try await use(table) {
            try await execute(Self.page(of: table, after: key, limit)).map { row in
                try table.columns.map { try LedgerValue(row, $0) }
            }
        }
    }

    /// Names the table in errors.
    private func use<Value>(_ table: LedgerTable, _ body: () async throws -> Value) async throws(UploadError) -> Value {
        do { return try await body() } catch {
            throw PostgreSQLFailure.describe(error, path: "\(path) (table '\(table.name)')")
        }
    }

    /// The rows of a page, whose sizes are added up by the server: the client would get all of them before it could count.
    private static func page(of table: LedgerTable, after key: LedgerRow, _ limit: Int) -> Statement {
        let columns = table.columns.map { "\($0.postgreSQL ?? "\(table.name).\($0.quoted)") AS \($0.quoted)" }
        let order = table.key.map { "\"\($0)\"" }.joined(separator: ", ")
        let names = table.columns.map(\.quoted).joined(separator: ", ")
        let sizes = table.columns.filter { $0.kind == .bytes }.map { "coalesce(octet_length(\($0.quoted)), 0)::bigint" }
        let size = Statement(stringLiteral: sizes.isEmpty ? "0::bigint" : sizes.joined(separator: " + "))
        let texts = table.name == "jobs" ? "LEFT JOIN texts ON texts.job = jobs.seq" : ""
        let source = Statement(
            stringLiteral: "SELECT \(columns.joined(separator: ", ")) FROM \(table.postgreSQLRows) \(texts)")
        let condition = Statement(stringLiteral: table.condition ?? "true")
        let (sorted, selected) = (Statement(stringLiteral: order), Statement(stringLiteral: names))
        return """
            SELECT \(selected) FROM (
                SELECT page.*, \(size) AS own_size, sum(\(size)) OVER (ORDER BY \(sorted)) AS total_size FROM (
                    \(source) WHERE \(condition) AND \(beyond(key, of: table)) ORDER BY \(sorted)
                    LIMIT \(Int64(limit))
                ) AS page
            ) AS sized WHERE total_size - own_size < \(Int64(LedgerCopy.pageBytes)) ORDER BY \(sorted)
            """
    }

    private static func beyond(_ key: LedgerRow, of table: LedgerTable) -> Statement {
        guard !key.isEmpty else { return "true" }
        let columns = table.key.map { "\(table.name).\"\($0)\"" }.joined(separator: ", ")
        let values = key.map { value -> Statement in
            switch value {
            case .integer(let number): "\(number)"
            case .text(let text): "\(text)"
            default: "NULL"
            }
        }
        return "(\(Statement(stringLiteral: columns))) > (\(Statement.list(values)))"
    }
}

extension LedgerTable.Column {
    var quoted: String { "\"\(name)\"" }
}

extension LedgerValue {
    fileprivate init(_ row: Row, _ column: LedgerTable.Column) throws {
        let name = column.name
        let value: LedgerValue? =
            switch column.kind {
            case .integer: try row.getIfPresent(name, as: Int64.self).map(LedgerValue.integer)
            case .real: try row.getIfPresent(name, as: Double.self).map(LedgerValue.real)
            case .text: try row.getIfPresent(name, as: String.self).map(LedgerValue.text)
            case .bytes: try row.getIfPresent(name, as: Data.self).map(LedgerValue.bytes)
            case .boolean: try row.getIfPresent(name, as: Bool.self).map(LedgerValue.boolean)
            case .name:
                try row.getIfPresent(name, as: Data.self).map { .text(String(decoding: $0, as: UTF8.self)) }
            }
        self = value ?? .null
    }
}

extension Statement {
    /// The parts, with commas between them.
    static func list(_ parts: [Statement]) -> Statement {
        guard let first = parts.first else { return "" }
        return parts.dropFirst().reduce(first) { "\($0), \($1)" }
    }
}
