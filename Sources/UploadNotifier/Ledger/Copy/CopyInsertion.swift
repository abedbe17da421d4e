import Foundation
import PostgreSQL
import Uploads

/// The statements that write rows of a copy to PostgreSQL.
struct CopyInsertion {
    private let rows: [LedgerRow]
    private let table: LedgerTable

    init(_ rows: [LedgerRow], of table: LedgerTable) {
        self.rows = rows.map { DerivedColumns.complete($0, of: table) }
        self.table = table
    }

    var statements: [Statement] {
        guard !rows.isEmpty else { return [] }
        guard table.name == "jobs" else { return [insert(into: table.name, table.columns)] }
        let texts = table.columns.filter { $0.name == "text" }
        return [
            insert(into: "jobs", table.columns.filter { $0.name != "text" }),
            "INSERT INTO texts (job, text) SELECT * FROM unnest(\(array("seq")), \(Statement.list(texts.map(array))))",
        ]
    }

    private func insert(into name: String, _ columns: [LedgerTable.Column]) -> Statement {
        let hasParts = columns.contains { $0.name == "over" }
        let stored = columns.filter { $0.name != "over" }
        let values = stored.map { column in
            hasParts && column.name == "bytes"
                ? "\"over\"::numeric * \(LedgerSums.part) + \"bytes\"" : column.quoted
        }
        let names = Statement(stringLiteral: stored.map(\.quoted).joined(separator: ", "))
        let all = Statement(stringLiteral: columns.map(\.quoted).joined(separator: ", "))
        let head = Statement(stringLiteral: name)
        return """
            INSERT INTO \(head) (\(names)) OVERRIDING SYSTEM VALUE
            SELECT \(Statement(stringLiteral: values.joined(separator: ", ")))
            FROM unnest(\(Statement.list(columns.map(array)))) AS new (\(all))
            """
    }

    private func array(_ name: String) -> Statement { array(table.columns[table.index(of: name)]) }

    /// The values of a column.
    private func array(_ column: LedgerTable.Column) -> Statement {
        let index = table.index(of: column.name)
        switch column.kind {
        case .integer:
            return "\(rows.map { if case .integer(let number) = $0[index] { number } else { nil as Int64? } })"
        case .real: return "\(rows.map { if case .real(let number) = $0[index] { number } else { nil as Double? } })"
        case .text: return "\(rows.map { if case .text(let text) = $0[index] { text } else { nil as String? } })"
        case .bytes: return "\(rows.map { if case .bytes(let bytes) = $0[index] { bytes } else { nil as Data? } })"
        case .boolean:
            return "\(rows.map { if case .boolean(let isTrue) = $0[index] { isTrue } else { nil as Bool? } })"
        case .name: return "\(rows.map { if case .text(let name) = $0[index] { name.bytes } else { nil as Data? } })"
        }
    }
}
