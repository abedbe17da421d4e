import Crypto
import Foundation
import PostgreSQL
import Uploads

extension PostgreSQLStore {
    /// Writes all rows in one round trip, those of a table in one statement.
    func write(_ changes: LedgerChanges, at now: Date) throws -> [OwedAction.ID] {
        // Events name the rows of their jobs, and deliveries those of their events.
        let records = try changes.jobs.map { RowText.stored(try WireJSON.encode($0.job)) }
        var statements = try jobs(changes.jobs, records) + events(changes.events)
        statements += deliveries(changes.deliveries, due: now, created: { _ in now })
        for letter in changes.letters {
            statements.append(keep(letter, at: now))
        }
        statements += holds(changes.holds) + places(changes.places) + (try apps(changes.apps, at: now))
        if let order = changes.order { statements.append(try self.order(order)) }
        if let entry = changes.audit { statements.append(Self.note(entry)) }
        // The answer to the last statement has the ids.
        let owed = try self.owed(changes.owed)
        let answers = try transaction.executeBlocking(statements + (owed.map { [$0] } ?? []))
        for (change, record) in zip(changes.jobs, records) {
            decoded.jobs.note(change.job, as: record, of: change.job.id.rawValue)
        }
        if !changes.forgotten.isEmpty { try strip(changes.forgotten) }
        if !changes.apps.isEmpty { try countDelegatesChange() }
        return owed == nil ? [] : try answers.last?.map { try $0.get("id") } ?? []
    }

    // MARK: Jobs

    private func jobs(_ changes: [LedgerChanges.Job], _ records: [Data]) throws -> [Statement] {
        guard !changes.isEmpty else { return [] }
        let orders = changes.map(\.job.baton.job)
        let jobs = changes.map(\.job)
        var statements: [Statement] = [
            """
            INSERT INTO jobs (id, queue, destination, key, status, since, enqueued, size, batch, idempotency, staged,
            forgotten, keeps_pause, is_settled, state, initial_state, record, code, client)
            SELECT id, queue, destination, key, status, since, enqueued, size, batch, idempotency, staged,
            forgotten, keeps_pause, is_settled, state, initial_state, record, code, client FROM unnest(
            \(jobs.map(\.id.rawValue)), \(orders.map(\.queue.rawValue)), \(orders.map(\.destination.label)),
            \(jobs.map(\.storedKey)), \(jobs.map(\.status.rawValue)), \(jobs.map(\.since.timeIntervalSince1970)),
            \(orders.map(\.enqueuedAt.milliseconds)), \(orders.map(\.size)), \(orders.map { $0.batch?.bytes }),
            \(orders.map { $0.idempotencyKey?.bytes }), \(orders.map { $0.source.stagedBytes }),
            \(jobs.map { $0.forgottenAt?.timeIntervalSince1970 }), \(jobs.map(\.keepsPause)), \(jobs.map(\.isSettled)),
            \(try jobs.map { try $0.baton.state.map { try WireJSON.encode($0) } }),
            \(try jobs.map { try $0.initialState.map { try WireJSON.encode($0) } }),
            \(records), \(jobs.map { $0.failureCode?.description }), \(orders.map { $0.client?.bytes })
            ) WITH ORDINALITY AS new (id, queue, destination, key, status, since, enqueued, size, batch, idempotency,
            staged, forgotten, keeps_pause, is_settled, state, initial_state, record, code, client, place) ORDER BY place
            ON CONFLICT (id) DO UPDATE SET queue = excluded.queue, destination = excluded.destination, key = excluded.key, status = excluded.status, since = excluded.since,
            size = excluded.size, batch = excluded.batch, idempotency = excluded.idempotency, staged = excluded.staged,
            forgotten = excluded.forgotten, keeps_pause = excluded.keeps_pause, is_settled = excluded.is_settled,
            state = excluded.state, initial_state = excluded.initial_state, record = excluded.record,
            code = excluded.code, client = excluded.client
            """
        ]
        let retold = changes.filter { change in change.before.map { !SearchText.isSame(of: $0, change.job) } ?? true }
        if !retold.isEmpty {
            statements.append(
                """
                INSERT INTO texts (job, text) SELECT seq, text
                FROM unnest(\(retold.map(\.job.id.rawValue)), \(retold.map { SearchText.of($0.job).withoutNUL }))
                AS new (id, text) JOIN jobs USING (id)
                ON CONFLICT (job) DO UPDATE SET text = excluded.text WHERE texts.text <> excluded.text
                """)
        }
        let arrived = changes.filter { $0.before != nil && $0.job.needsNoBytes }.map(\.job.id.rawValue)
        if !arrived.isEmpty {
            statements.append(
                "DELETE FROM wholes WHERE job IN (SELECT seq FROM jobs WHERE id = ANY(\(arrived)))")
        }
        let whole = changes.compactMap { change in change.original.map { (change.job.id.rawValue, $0) } }
        if !whole.isEmpty {
            statements.append(
                """
                INSERT INTO wholes (job, body) SELECT seq, body
                FROM unnest(\(whole.map(\.0)), \(whole.map(\.1))) AS new (id, body) JOIN jobs USING (id)
                ON CONFLICT (job) DO NOTHING
                """)
        }
        return statements
    }

    private func events(_ changes: [LedgerChanges.Event]) throws -> [Statement] {
        guard !changes.isEmpty else { return [] }
        let events = changes.map(\.event)
        return [
            """
            INSERT INTO events (job, name, kind, queue, told, state, body)
            SELECT jobs.seq, new.name, new.kind, new.queue, new.told, new.state, new.body FROM unnest(
            \(events.map(\.job.id.rawValue)), \(events.map { RowEventID.stored($0.id, of: $0.job.id.rawValue).bytes }),
            \(events.map(\.kind.rawValue)), \(events.map(\.job.queue.rawValue)),
            \(events.map(\.time.timeIntervalSince1970)),
            \(try events.map { try $0.data.baton.state.map { try WireJSON.encode($0) } }),
            \(changes.map { RowText.stored($0.body) })
            ) WITH ORDINALITY AS new (job, name, kind, queue, told, state, body, place)
            LEFT JOIN jobs ON jobs.id = new.job ORDER BY new.place ON CONFLICT (job, sha256(name)) DO NOTHING
            """
        ]
    }

    func deliveries(
        _ deliveries: [LedgerChanges.Delivery], due: Date, created: (LedgerChanges.Delivery) -> Date
    ) -> [Statement] {
        guard !deliveries.isEmpty else { return [] }
        return [
            """
            INSERT INTO deliveries (delegate, outcome, job, event, due, created)
            SELECT new.delegate, new.outcome, jobs.seq, coalesce(events.seq, 0), \(due.timeIntervalSince1970), new.created
            FROM unnest(\(deliveries.map(\.delegate)),
            \(deliveries.map { RowEventID.stored($0.outcome, of: $0.job.rawValue).bytes }), \(deliveries.map(\.job.rawValue)),
            \(deliveries.map { RowEventID.stored($0.event, of: $0.job.rawValue).bytes }),
            \(deliveries.map { created($0).timeIntervalSince1970 })
            ) WITH ORDINALITY AS new (delegate, outcome, job, event, created, place)
            JOIN jobs ON jobs.id = new.job LEFT JOIN events ON events.job = jobs.seq AND sha256(events.name) = sha256(new.event)
            ORDER BY new.place ON CONFLICT (job, sha256(outcome), delegate) DO NOTHING
            """
        ]
    }

    // MARK: Other rows

    private func owed(_ owed: [LedgerChanges.Owed]) throws -> Statement? {
        guard !owed.isEmpty else { return nil }
        let bodies = try owed.map { owed -> Data in
            guard let record = OwedRecord(owed.action, source: owed.source) else {
                throw UploadError(.unknown, "\(owed.action) is no publication")
            }
            return try WireJSON.encode(record)
        }
        return """
            INSERT INTO owed (job, body) SELECT job, body
            FROM unnest(\(owed.map(\.job.rawValue)), \(bodies)) WITH ORDINALITY AS new (job, body, place)
            ORDER BY place RETURNING id
            """
    }

    private func keep(_ letter: LedgerChanges.Letter, at time: Date) -> Statement {
        let row = UnreadableRow(letter)
        return """
            INSERT INTO unreadable (at, reason, type, digest, body, size, envelope)
            VALUES (\(time.timeIntervalSince1970), \(row.reason.withoutNUL.utf8Prefix(UnreadableMessage.reasonBytesMaximum)), \(letter.envelope?.type?.withoutNUL),
            \(row.digest), \(row.body), \(Int64(letter.body.count)), \(row.envelope))
            ON CONFLICT (digest) WHERE replayed IS NULL DO NOTHING
            """
    }

    private func holds(_ holds: [JobID: LedgerChanges.Hold?]) -> [Statement] {
        holds.sorted { $0.key.rawValue < $1.key.rawValue }.map { job, hold in
            guard let hold else { return "DELETE FROM holds WHERE job = \(job.rawValue)" }
            return """
                INSERT INTO holds (job, queue, due, needs_worker)
                VALUES (\(job.rawValue), \(hold.queue.rawValue), \(hold.until.timeIntervalSince1970), \(hold.needsWorker))
                ON CONFLICT (job) DO UPDATE SET queue = excluded.queue, due = excluded.due,
                needs_worker = excluded.needs_worker
                """
        }
    }

    private func places(_ places: [LedgerChanges.Place]) -> [Statement] {
        places.map { place in
            guard let row = place.row else { return "DELETE FROM line WHERE job = \(place.job)" }
            let number: Int64? = if case .waiting(let number) = row { number } else { nil }
            return """
                INSERT INTO line (job, queue, number) VALUES (\(place.job), \(place.queue.rawValue), \(number))
                ON CONFLICT (job) DO UPDATE SET queue = excluded.queue, number = excluded.number
                """
        }
    }

    private func apps(_ apps: [String: String], at now: Date) throws -> [Statement] {
        let time = now.timeIntervalSince1970
        return try apps.sorted { $0.key < $1.key }.compactMap { name, client in
            guard let definition = DelegateDefinition(client: client) else { return nil }
            return """
                INSERT INTO registered (name, definition, created, changed)
                VALUES (\(name), \(try WireJSON.encode(definition)), \(time), \(time)) ON CONFLICT (name) DO NOTHING
                """
        }
    }

    private func order(_ order: LedgerChanges.Order) throws -> Statement {
        """
        INSERT INTO orders (id, at, body, progress) VALUES (\(order.order.id.text),
        \(order.order.at.timeIntervalSince1970), \(try WireJSON.encode(order.order)), \(try WireJSON.encode(order.progress)))
        ON CONFLICT (id) DO UPDATE SET progress = excluded.progress, body = excluded.body
        """
    }

    /// A second entry of an order, of another shard's part or of its end, adds its numbers.
    static func note(_ entry: AuditEntry) -> Statement {
        """
        INSERT INTO audit (order_id, at, by, verb, subject, job, matched, done, reason)
        VALUES (\(entry.order.text), \(entry.at.timeIntervalSince1970), \(entry.by.withoutNUL), \(entry.verb.withoutNUL),
        \(entry.subject.withoutNUL), \(entry.job?.rawValue), \(Int64(entry.matched)), \(entry.done.map { Int64($0) }),
        \(entry.reason?.withoutNUL))
        ON CONFLICT (order_id) DO UPDATE SET
        matched = CASE WHEN audit.done IS NULL THEN excluded.matched ELSE audit.matched + excluded.matched END,
        done = coalesce(audit.done, 0) + excluded.done, reason = coalesce(audit.reason, excluded.reason)
        WHERE excluded.done IS NOT NULL
        """
    }

    // MARK: Forgetting

    /// Removes the jobs' names from all rows except those of the jobs themselves.
    private func strip(_ jobs: [LedgerJob]) throws {
        let ids = jobs.map(\.id.rawValue)
        try transaction.executeBlocking([
            "DELETE FROM wholes WHERE job IN (SELECT seq FROM jobs WHERE id = ANY(\(ids)))",
            """
            UPDATE attempts SET answer = NULL, error = NULL WHERE delivery IN (
            SELECT deliveries.id FROM deliveries JOIN jobs ON jobs.seq = job WHERE jobs.id = ANY(\(ids)))
            """,
            "UPDATE deliveries SET error = NULL WHERE job IN (SELECT seq FROM jobs WHERE id = ANY(\(ids)))",
            "UPDATE identity SET last_event = greatest(last_event, (SELECT max(seq) FROM events))",
        ])
        for job in jobs { try stripEvents(of: job) }
        try removeLetters(about: Set(jobs.map(\.id)))
    }

    /// The event that brought the end stays, since deliveries name it.
    private func stripEvents(of job: LedgerJob) throws {
        let end = job.end.map { RowEventID.stored($0.event, of: job.id.rawValue).bytes }
        let found = try query(
            """
            SELECT events.seq, name, body FROM events JOIN jobs ON jobs.seq = job WHERE id = \(job.id.rawValue)
            """)
        var statements: [Statement] = []
        for row in found {
            let (sequence, name, body): (Int64, Data, Data) = (
                try row.get("seq"), try row.get("name"), try row.get("body")
            )
            // An event that cannot be read is removed, since its contents are unknown.
            if name == end, let event = try? DamagedRows.value(UploadEvent.self, from: body, "events", sequence) {
                let stripped = RowText.stored(try WireJSON.encode(event.forgotten))
                statements.append("UPDATE events SET body = \(stripped), state = NULL WHERE seq = \(sequence)")
            } else {
                statements.append("DELETE FROM events WHERE seq = \(sequence)")
            }
        }
        try transaction.executeBlocking(statements)
    }

    /// Removes dead letters about the jobs. Letters have no index by job, since they may name their job in many places or not at all, so
    /// one pass over all letters serves a page of jobs.
    private func removeLetters(about jobs: Set<JobID>) throws {
        var last: Int64 = 0
        while true {
            let page = try query(
                "SELECT id, reason, envelope, body FROM unreadable WHERE id > \(last) ORDER BY id LIMIT 100")
            var found: [Int64] = []
            for row in page {
                last = try row.get("id")
                let parts = [
                    Data(try row.get("reason", as: String.self).utf8),
                    try row.getIfPresent("envelope", as: Data.self) ?? Data(), try row.get("body", as: Data.self),
                ]
                if parts.contains(where: { JobMentions.any(of: jobs, in: $0) }) { found.append(last) }
            }
            if !found.isEmpty { _ = try query("DELETE FROM unreadable WHERE id = ANY(\(found))") }
            guard page.count == 100 else { return }
        }
    }
}

extension String {
    var bytes: Data { Data(utf8) }

    /// By which the indexes find a name.
    var digest: Data { Data(SHA256.hash(data: bytes)) }
}

extension LedgerJob {
    /// The key by which the job is found, unless it is forgotten.
    fileprivate var storedKey: Data? {
        guard forgottenAt == nil, case .named(_, let key) = baton.job.destination else { return nil }
        return key.bytes
    }

    /// Whether a pause holds for the present generation.
    var keepsPause: Bool { pausedThrough.map { $0 >= baton.generation } ?? false }

    /// Whether nothing of an upload is left to be told of the job.
    var isSettled: Bool { baton.state == nil && wish == nil }
}

extension SourceReference {
    fileprivate var stagedBytes: Data? { if case .staged(_, let name) = self { name.bytes } else { nil } }
}
