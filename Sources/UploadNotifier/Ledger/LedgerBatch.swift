import Foundation
import GRDB
import Uploads

/// One transaction of recording: reads the jobs of its messages once, decides in memory, writes each job once.
struct LedgerBatch {
    let db: Database
    private let rows: DamagedRows
    let view: ControlView
    private let routes: [DeliveryRoute]
    let now: Date
    /// The jobs of this batch; jobs from the file have redacted orders.
    private(set) var jobs: [JobID: LedgerJob] = [:]
    /// Jobs that the file has and that cannot be read.
    private(set) var damaged: [JobID: DamagedRow] = [:]
    /// Jobs that the file has already.
    private var known: Set<JobID> = []
    /// Jobs whose names the file has forgotten.
    private var forgotten: Set<JobID> = []
    /// The changed jobs, in the order of their first change, in which new jobs are listed.
    private var changed: [JobID] = []
    private var isChanged: Set<JobID> = []
    private(set) var owed: [OwedAction] = []
    /// While an order about many jobs is carried out: the pauses that one control entry will hold.
    private var pauses: [JobID: Int]?
    /// While an order about many jobs is carried out: in each serial line, the job behind which the next job to run now is placed, so that
    /// these jobs keep their order.
    private var nextInLine: [QueueName: JobID]?
    private var clients: ClientRoutes
    /// The message that is being received, if it is an event whose text is known.
    private var received: (event: UploadEvent, body: Data)?
    /// The original texts of orders that came with this batch.
    private var orderTexts: [JobID: Data] = [:]

    init(_ db: Database, _ rows: DamagedRows, view: ControlView, routes: [DeliveryRoute], now: Date) {
        self.db = db
        self.rows = rows
        self.view = view
        self.routes = routes
        self.now = now
        clients = ClientRoutes(routes)
    }

    mutating func load(_ ids: Set<JobID>) throws {
        let list = try Ledger.list(ids.map(\.rawValue))
        let statement = try db.cachedStatement(
            sql: "SELECT id, record FROM jobs WHERE id IN (SELECT value FROM json_each(?))")
        let found = try Row.fetchCursor(statement, arguments: [list])
        while let row = try found.next() {
            let name: String = row["id"]
            guard let id = JobID(name), jobs[id] == nil else { continue }
            do throws(DamagedRow) {
                let job = try DamagedRows.job(row["record"], id: name)
                jobs[id] = job
                if job.forgottenAt != nil { forgotten.insert(id) }
                known.insert(id)
            } catch {
                rows.say(error)
                damaged[id] = error
            }
        }
    }

    /// - Throws: the damage, so that no decision is made about a job whose row cannot be read: it may have ended already.
    private func check(_ id: JobID) throws(DamagedRow) {
        if let damage = damaged[id] { throw damage }
    }

    mutating func receive(_ message: NotifierMessage) throws {
        if case .unreadable(let body, let reason, let envelope) = message {
            return try UnreadableRows.keep(body, reason: reason, envelope, at: now, in: db)
        }
        guard let id = message.job else { return }
        try check(id)
        // Each message about a job registers its app: an earlier ledger, now lost, may have had the job's first message.
        if let client = message.client { _ = try clients.route(of: client, at: now, in: db) }
        if case .job(let order, _, _) = message, order.idempotencyKey != nil, let known = jobs[id] {
            try noteRepeat(order, of: known)
        }
        // A second use of the key may have put other content under it: the first use holds.
        if case .job(_, _, let body?) = message, jobs[id]?.isWhole != true { orderTexts[id] = body }
        if case .event(let event, let body?) = message { received = (event, body) }
        defer { received = nil }
        // Rule 3: issuing. The machine decides, this transaction notes it.
        let machine = IssuingMachine(fence: view.fence(of: id), now: now)
        try carryOut(machine.receive(message, for: jobs[id]), of: id)
    }

    /// Handles an idempotency key that was used again. The app may wait for an outcome that was published long ago, so the outcome is
    /// published once more, without deliveries to delegates. An order with other content under the key, from a staging area that does not
    /// know the first order, is kept for an operator to see.
    private mutating func noteRepeat(_ order: UploadJob, of known: LedgerJob) throws {
        // A forgotten job has nothing to compare with.
        let first = known.baton.job
        let isOther =
            (order.isExamined && order.size != first.size) || order.digests.contradicts(first.digests)
            || order.destination.redacted != first.destination.redacted
        if isOther, known.forgottenAt == nil {
            try UnreadableRows.keep(
                try WireJSON.encode(order.redacted),
                reason:
                    "refused: the idempotency key of job \(order.id) was used before for something else; the first one holds",
                MessageEnvelope(messageID: order.id.rawValue, isRedacted: true), at: now, in: db)
        }
        guard let end = known.end,
            let body = try Data.fetchOne(db, sql: "SELECT body FROM events WHERE id = ?", arguments: [end.event])
        else { return }
        let event = try WireJSON.decode(UploadEvent.self, from: body)
        try owe(.outcome(event.told), of: known.id, source: end.event)
    }

    /// - Throws: `rejected` for a job that is not known, or whose row cannot be read.
    func obeying(_ id: JobID) throws(UploadError) -> LedgerJob {
        if let damage = damaged[id] { throw UploadError(.rejected, damage.text, cause: damage) }
        guard let job = jobs[id] else { throw UploadError(.rejected, "the ledger knows no job \(id)") }
        return job
    }

    mutating func order(_ verb: Verb, of id: JobID) throws {
        let job = try obeying(id)
        // Rule 5: verbs. The machine decides, this transaction notes it.
        let decision = try IssuingMachine(fence: view.fence(of: id), now: now).order(verb, of: job)
        if verb == .forget { try ForgottenRows(db: db).checkTold(id) }
        try carryOut(decision, of: id)
    }

    mutating func carryOut(_ decision: IssuingDecision, of id: JobID) throws {
        let (before, wasHeld) = (jobs[id]?.line, jobs[id]?.hold)
        if let job = decision.job, job != jobs[id] {
            jobs[id] = job
            if isChanged.insert(id).inserted { changed.append(id) }
        }
        var source: String?
        for action in decision.actions {
            if case .record(let event) = action {
                try record(event)
                source = event.id
            }
            // Rule 6: ends. The transaction that records an end puts the outcome into the outboxes.
            if case .outcome(let event) = action { try deliver(event, source: source ?? event.id) }
            if pauses != nil, case .append(.pause(let generations)) = action {
                pauses?.merge(generations, uniquingKeysWith: max)
                continue
            }
            try owe(issuable(action), of: id, source: source)
        }
        if let job = decision.job, job.hold != wasHeld { try HoldRows(db: db).keep(job) }
        if let job = decision.job { try keepLine(of: job, since: before, place: decision.place) }
    }

    /// Begins to issue jobs that are held.
    mutating func issueHeld(_ ids: [JobID]) throws {
        try load(Set(ids))
        for id in ids {
            // A held job is known. The row of an unknown job, or of one whose row cannot be read, would otherwise come up for ever.
            guard let job = jobs[id], job.hold != nil else {
                try HoldRows(db: db).remove(id)
                continue
            }
            try carryOut(IssuingMachine(fence: view.fence(of: id), now: now).issueHeld(job), of: id)
        }
    }

    /// Holds a job whose baton no lane has taken.
    mutating func unclaimed(_ baton: Baton, _ cause: DeathCause) throws {
        let id = baton.job.id
        try load([id])
        try check(id)
        let machine = IssuingMachine(fence: view.fence(of: id), now: now)
        try carryOut(machine.unclaimed(baton, cause, for: jobs[id]), of: id)
    }

    /// Keeps the job's row in its serial line, and releases the next job if no job of the line is under way any more.
    private mutating func keepLine(of job: LedgerJob, since before: LinePhase?, place: SerialPosition?) throws {
        guard job.line != before || (job.line == .waiting && place != nil) else { return }
        let line = LineRows(db: db, queue: job.baton.job.queue)
        switch job.line {
        case .waiting:
            var place = place ?? .end
            if place == .next, nextInLine != nil {
                if let ahead = nextInLine?[line.queue] { place = SerialPosition(index: 0, after: ahead) }
                nextInLine?[line.queue] = job.id
            }
            try line.remove(job.id)
            if let other = place.after { try load([other]) }
            try line.insert(job.id, at: SerialLine.target(of: place, behind: place.after.flatMap { jobs[$0] }))
        case .releasing, .released: try line.release(job.id)
        case nil: try line.remove(job.id)
        }
        try releaseNext(of: line)
    }

    private mutating func releaseNext(of line: LineRows) throws {
        guard SerialLine.releasesNext(ofThoseOnTheirWay: try line.releasedCount()) else { return }
        while let first = try line.first() {
            if let next = JobID(first.job) {
                try load([next])
                if let known = jobs[next], known.line == .waiting {
                    return try carryOut(IssuingMachine(fence: view.fence(of: next), now: now).release(known), of: next)
                }
                // A damaged job cannot be issued, since its order is in that row; the jobs behind it must not wait for ever.
                if let damage = damaged[next] {
                    try UnreadableRows.keep(
                        Data(), reason: "left out of the serial line of '\(line.queue)': \(damage.text)",
                        MessageEnvelope(messageID: first.job, isRedacted: true), at: now, in: db)
                }
            }
            try line.remove(at: first.number)
        }
    }

    /// The action with the original order in its baton: loaded jobs have redacted orders.
    private func issuable(_ action: IssuingAction) throws -> IssuingAction {
        guard case .issue(var baton, let lane, let maybeRepeated) = action, known.contains(baton.job.id),
            baton.job == baton.job.redacted, let whole = try JobRow.whole(of: baton.job.id, in: db)
        else { return action }
        baton.job = whole.known(like: baton.job)
        return .issue(baton, lane: lane, maybeRepeated: maybeRepeated)
    }

    private mutating func owe(_ action: IssuingAction, of id: JobID, source: String? = nil) throws {
        guard let record = OwedRecord(action, source: source) else { return }
        try db.cachedStatement(sql: "INSERT INTO owed (job, body) VALUES (?, ?)")
            .execute(arguments: [id.rawValue, try WireJSON.encode(record)])
        owed.append(OwedAction(id: db.lastInsertedRowID, job: id, action: action))
    }

    /// Owes a control entry that is not about one job.
    mutating func owe(_ entry: ControlEntry) throws {
        for part in entry.parts { try owe(.append(part), of: OwedAction.sharedJob) }
    }

    /// Applies one verb to many jobs, which were loaded before, with one control entry where that is enough.
    mutating func order(_ verb: Verb, of ids: [JobID]) throws -> [OrderAnswer.Job] {
        pauses = [:]
        nextInLine = [:]
        let answers = try ids.map { id in
            do {
                let round = verb.beginsRound ? jobs[id].map { $0.baton.round.addingSaturating(1) } : nil
                try order(verb, of: id)
                return OrderAnswer.Job(id: id, round: round)
            } catch let error as UploadError where error.code == .rejected {
                let current = jobs[id].flatMap { verb.beginsRound && $0.end == nil ? $0.baton.round : nil }
                return OrderAnswer.Job(id: id, reason: error.message, round: current)
            }
        }
        if let pauses, !pauses.isEmpty { try owe(.pause(pauses)) }
        pauses = nil
        nextInLine = nil
        return answers
    }

    private func record(_ event: UploadEvent) throws {
        let body = if let received, received.event == event { received.body } else { try WireJSON.encode(event) }
        try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO events (id, job, kind, queue, body) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [
            event.id, event.job.id.rawValue, event.kind.rawValue, event.job.queue.rawValue, body,
        ])
    }

    private mutating func deliver(_ outcome: UploadEvent, source: String) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO deliveries (delegate, outcome, job, event, due, created)
                VALUES (?1, ?2, ?3, ?4, ?5, ?5)
                """)
        let client = try outcome.job.client.flatMap { try clients.route(of: $0, at: now, in: db) }
        // The delegate of the job's app may not be served yet.
        for route in routes.filter({ $0.delegate != client?.delegate }) + [client].compactMap(\.self)
        where route.takes(outcome) {
            try statement.execute(arguments: [
                route.delegate, outcome.id, outcome.job.id.rawValue, source, now.timeIntervalSince1970,
            ])
        }
    }

    func save() throws {
        var texts = JobTexts()
        var renamed: [LedgerJob] = []
        for id in changed {
            guard var job = jobs[id] else { continue }
            let order = job.baton.job
            job.baton.job = order.redacted
            let whole = job.isWhole && order != job.baton.job ? try orderTexts[id] ?? WireJSON.encode(order) : nil
            if known.contains(id) {
                try JobRow.update(job, whole: whole, &texts, in: db)
                if (job.forgottenAt != nil) != forgotten.contains(id) { renamed.append(job) }
            } else {
                try JobRow.insert(job, whole: whole, &texts, in: db)
            }
        }
        try texts.write(in: db)
        guard !renamed.isEmpty else { return }
        for job in renamed { try JobRow.rename(job, in: db) }
        try ForgottenRows(db: db).strip(renamed.filter { $0.forgottenAt != nil })
    }
}

extension NotifierMessage {
    /// The job that the message is about.
    var job: JobID? {
        switch self {
        case .job(let job, _, _): job.id
        case .event(let event, _): event.job.id
        case .marker(let marker): marker.job
        case .deadBaton(let baton, _): baton.job.id
        case .order, .unreadable: nil
        }
    }

    /// The app whose managers receive the job's outcomes.
    var client: String? {
        switch self {
        case .job(let job, _, _): job.client
        case .event(let event, _): event.job.client
        case .deadBaton(let baton, _): baton.job.client
        case .marker, .order, .unreadable: nil
        }
    }
}
