import Foundation
import GRDB
import Uploads

extension SQLiteStore {
    func write(_ changes: LedgerChanges, at now: Date) throws -> [OwedAction.ID] {
        // Events name the rows of their jobs, and deliveries those of their events.
        try write(changes.jobs)
        try changes.events.forEach(write)
        for delivery in changes.deliveries { _ = try add(delivery, due: now, created: now) }
        let owed = try changes.owed.map(write)
        for letter in changes.letters { try keep(letter, at: now) }
        for (job, hold) in changes.holds { try HoldRows(db: db).write(hold, of: job) }
        try changes.places.forEach(write)
        for (name, client) in changes.apps { try register(client, as: name, at: now) }
        if let order = changes.order { try write(order) }
        if let entry = changes.audit { try Ledger.note(entry, in: db) }
        if !changes.forgotten.isEmpty { try ForgottenRows(db: db).strip(changes.forgotten) }
        return owed
    }

    private func write(_ jobs: [LedgerChanges.Job]) throws {
        var derived = DerivedRows()
        for job in jobs {
            let id = job.job.id
            if let before = job.before {
                // The row of a known job was read in this transaction, unless another program has just removed it.
                guard let row = try numbers.number(of: id) else { continue }
                let record = try JobRow.update(row, job.job, from: before, whole: job.original, &derived, in: db)
                decoded.jobs.note(job.job, as: record, of: id.rawValue)
            } else {
                let (row, record) = try JobRow.insert(job.job, whole: job.original, &derived, in: db)
                numbers.note(row, of: id.rawValue)
                decoded.jobs.note(job.job, as: record, of: id.rawValue)
            }
        }
        try derived.write(in: db)
        for job in jobs where job.changesNames { try JobRow.rename(job.job, in: db) }
    }

    private func write(_ event: LedgerChanges.Event) throws {
        let (body, event) = (RowText.stored(event.body), event.event)
        let job = event.job.id
        try db.cachedStatement(
            sql: """
                INSERT INTO events (job, name, kind, queue, body) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (job, name) DO NOTHING
                """
        ).execute(arguments: [
            try numbers.number(of: job), RowEventID.stored(event.id, of: job.rawValue), event.kind.rawValue,
            event.job.queue.rawValue, body,
        ])
        // Only outcomes are read again soon: for their deliveries.
        if event.kind.isEnd && db.changesCount > 0 { decoded.events.note(event, as: body, of: db.lastInsertedRowID) }
    }

    private func write(_ owed: LedgerChanges.Owed) throws -> OwedAction.ID {
        guard let record = OwedRecord(owed.action, source: owed.source) else {
            throw UploadError(.unknown, "\(owed.action) is no publication")
        }
        try db.cachedStatement(sql: "INSERT INTO owed (job, body) VALUES (?, ?)")
            .execute(arguments: [owed.job.rawValue, try WireJSON.encode(record)])
        return db.lastInsertedRowID
    }

    private func keep(_ letter: LedgerChanges.Letter, at time: Date) throws {
        let row = UnreadableRow(letter)
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO unreadable (at, reason, digest, body, size, envelope) VALUES (?, ?, ?, ?, ?, ?)"
        ).execute(arguments: [
            time.timeIntervalSince1970, row.reason, row.digest, row.body, letter.body.count, row.envelope,
        ])
    }

    private func register(_ client: String, as name: String, at now: Date) throws {
        guard let definition = DelegateDefinition(client: client) else { return }
        let time = now.timeIntervalSince1970
        try db.cachedStatement(sql: "INSERT INTO registered (name, definition, created, changed) VALUES (?, ?, ?, ?)")
            .execute(arguments: [name, try WireJSON.encode(definition), time, time])
    }

    private func write(_ order: LedgerChanges.Order) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO orders (id, at, body, progress) VALUES (?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET progress = excluded.progress, body = excluded.body
                """
        ).execute(arguments: [
            order.order.id.text, order.order.at.timeIntervalSince1970, try WireJSON.encode(order.order),
            try WireJSON.encode(order.progress),
        ])
    }
}
