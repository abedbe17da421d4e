import Foundation
import Uploads

/// Computes the columns that PostgreSQL has beside a row's record. A row from PostgreSQL has them already, and keeps them.
enum DerivedColumns {
    /// A row that cannot be read gets values with which it is found by no query about them, as in SQLite.
    static func complete(_ row: LedgerRow, of table: LedgerTable) -> LedgerRow {
        var row = CopiedRow(row, of: table)
        switch table.name {
        case "jobs" where row["is_settled"].isNull: complete(job: &row)
        case "events" where row["told"].isNull: complete(event: &row)
        case "unreadable" where row["type"].isNull: complete(letter: &row)
        default: break
        }
        return row.values
    }

    private static func complete(job row: inout CopiedRow) {
        guard case .bytes(let record) = row["record"], case .text(let id) = row["id"],
            let job = try? DamagedRows.job(record, id: id)
        else {
            row["is_settled"] = .boolean(false)
            return
        }
        row["is_settled"] = .boolean(job.isSettled)
        row["state"] = json(job.baton.state)
        row["initial_state"] = json(job.initialState)
        let order = job.baton.job
        if case .named(_, let key) = order.destination { row["key"] = whole(row["key"], key) }
        row["batch"] = whole(row["batch"], order.batch)
        row["idempotency"] = whole(row["idempotency"], order.idempotencyKey)
        row["client"] = whole(row["client"], order.client)
        if case .staged(_, let name) = order.source { row["staged"] = whole(row["staged"], name) }
    }

    /// The whole name, where SQLite has the part of it before the first U+0000.
    private static func whole(_ stored: LedgerValue, _ name: String?) -> LedgerValue {
        guard case .text(let part) = stored, let name, name.untilNUL.utf8.elementsEqual(part.utf8) else {
            return stored
        }
        return .text(name)
    }

    private static func complete(event row: inout CopiedRow) {
        guard case .bytes(let body) = row["body"],
            let event = try? DamagedRows.value(UploadEvent.self, from: body, "events", "")
        else {
            row["told"] = .real(0)
            return
        }
        row["told"] = .real(event.time.timeIntervalSince1970)
        row["state"] = json(event.data.baton.state)
    }

    private static func complete(letter row: inout CopiedRow) {
        guard case .bytes(let envelope) = row["envelope"],
            let type = try? DamagedRows.value(MessageEnvelope.self, from: envelope, "unreadable", "").type
        else { return }
        row["type"] = .text(type.withoutNUL)
    }

    private static func json(_ value: (some Encodable)?) -> LedgerValue {
        guard let value, let text = try? WireJSON.encode(value) else { return .null }
        return .bytes(text)
    }
}

/// A row with its values by the names of their columns.
private struct CopiedRow {
    private(set) var values: LedgerRow
    private let table: LedgerTable

    init(_ values: LedgerRow, of table: LedgerTable) { (self.values, self.table) = (values, table) }

    subscript(column: String) -> LedgerValue {
        get { values[table.index(of: column)] }
        set { values[table.index(of: column)] = newValue }
    }
}
