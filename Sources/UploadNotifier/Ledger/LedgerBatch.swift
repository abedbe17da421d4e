import Crypto
import Foundation
import GRDB
import Uploads

/// One transaction of recording: reads the jobs that it is about once, decides in memory, writes each job once.
struct LedgerBatch {
    let db: Database
    let view: ControlView
    let routes: [DeliveryRoute]
    let now: Date
    private var jobs: [JobID: LedgerJob] = [:]
    /// Orders that the file has already.
    private var stored: Set<JobID> = []
    private var changed: Set<JobID> = []
    private(set) var owed: [OwedAction] = []

    init(_ db: Database, view: ControlView, routes: [DeliveryRoute], now: Date) {
        self.db = db
        self.view = view
        self.routes = routes
        self.now = now
    }

    mutating func load(_ ids: Set<JobID>) throws {
        let list = String(decoding: try JSONEncoder().encode(ids.map(\.rawValue)), as: UTF8.self)
        let statement = try db.cachedStatement(
            sql: "SELECT id, record, whole FROM jobs WHERE id IN (SELECT value FROM json_each(?))")
        let rows = try Row.fetchCursor(statement, arguments: [list])
        while let row = try rows.next() {
            var job = try WireJSON.decode(LedgerJob.self, from: row["record"])
            if let whole = row["whole"] as Data? {
                job.baton.job = try WireJSON.decode(UploadJob.self, from: whole)
                stored.insert(job.id)
            }
            jobs[job.id] = job
        }
    }

    mutating func receive(_ message: NotifierMessage) throws {
        if case .unreadable(let body, let reason) = message { return try keep(body, reason: reason) }
        guard let id = message.job else { return }
        let machine = IssuingMachine(fence: view.fence(of: id), now: now)
        try carryOut(machine.receive(message, for: jobs[id]), of: id)
    }

    mutating func order(_ verb: Verb, of id: JobID) throws {
        guard let job = jobs[id] else { throw UploadError(.rejected, "the ledger knows no job \(id)") }
        try carryOut(IssuingMachine(fence: view.fence(of: id), now: now).order(verb, of: job), of: id)
    }

    private mutating func carryOut(_ decision: IssuingDecision, of id: JobID) throws {
        if let job = decision.job, job != jobs[id] {
            jobs[id] = job
            changed.insert(id)
        }
        var source: String?
        for action in decision.actions {
            if case .record(let event) = action {
                try record(event)
                source = event.id
            }
            if case .outcome(let event) = action { try deliver(event, source: source ?? event.id) }
            guard let record = OwedRecord(action, source: source) else { continue }
            try db.cachedStatement(sql: "INSERT INTO owed (job, body) VALUES (?, ?)")
                .execute(arguments: [id.rawValue, try WireJSON.encode(record)])
            owed.append(OwedAction(id: db.lastInsertedRowID, job: id, action: action))
        }
    }

    private func record(_ event: UploadEvent) throws {
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO events (id, job, body) VALUES (?, ?, ?)")
            .execute(arguments: [event.id, event.job.id.rawValue, try WireJSON.encode(event)])
    }

    private func deliver(_ outcome: UploadEvent, source: String) throws {
        let statement = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO deliveries (delegate, outcome, job, event, due) VALUES (?, ?, ?, ?, ?)")
        for route in routes where route.kinds.contains(outcome.kind) {
            try statement.execute(arguments: [
                route.delegate, outcome.id, outcome.job.id.rawValue, source, now.timeIntervalSince1970,
            ])
        }
    }

    private func keep(_ body: Data, reason: String) throws {
        var digest = SHA256()
        digest.update(data: Data(reason.utf8))
        digest.update(data: [0])
        digest.update(data: body)
        try db.cachedStatement(sql: "INSERT OR IGNORE INTO unreadable (at, reason, digest, body) VALUES (?, ?, ?, ?)")
            .execute(arguments: [
                now.timeIntervalSince1970, reason, Data(digest.finalize()),
                body.prefix(UnreadableMessage.bodyBytesMaximum),
            ])
    }

    func save() throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO jobs (id, queue, destination, status, since, record, whole) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET queue = excluded.queue, destination = excluded.destination,
                status = excluded.status, since = excluded.since, record = excluded.record,
                whole = coalesce(excluded.whole, whole)
                """)
        for id in changed {
            guard var job = jobs[id] else { continue }
            let order = job.baton.job
            job.baton.job = order.redacted
            let whole =
                job.isWhole && order != job.baton.job && !stored.contains(id) ? try WireJSON.encode(order) : nil
            try statement.execute(arguments: [
                id.rawValue, order.queue.rawValue, order.destination.label, job.status.rawValue,
                job.since.timeIntervalSince1970, try WireJSON.encode(job), whole,
            ])
        }
    }
}

extension NotifierMessage {
    /// The job that the message is about.
    var job: JobID? {
        switch self {
        case .job(let job, _): job.id
        case .event(let event): event.job.id
        case .marker(let marker): marker.job
        case .deadBaton(let baton, _): baton.job.id
        case .unreadable: nil
        }
    }
}
