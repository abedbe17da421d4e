package import Foundation

/// Decides what messages and orders change in a ledger, in one transaction: reads the jobs that they are about once, decides in memory, and
/// writes each changed row once. Pure: it reads and writes through a ``LedgerStore`` alone.
package struct LedgerBatch {
    let store: any LedgerStore
    let view: ControlView
    private let routes: [DeliveryRoute]
    let now: Date
    private let markerID: @Sendable () -> UUID
    /// The jobs of this batch; stored jobs have redacted orders.
    private(set) var jobs: [JobID: LedgerJob] = [:]
    /// Jobs that the ledger has and that cannot be read.
    private(set) var damaged: [JobID: DamagedRow] = [:]
    /// The jobs that the ledger has already, as it has them.
    private var stored: [JobID: LedgerJob] = [:]
    /// The changed jobs, in the order of their first change, in which new jobs are listed.
    private var changed: [JobID] = []
    private var isChanged: Set<JobID> = []
    /// While an order about many jobs is carried out: the pauses that one control entry will hold.
    private var pauses: [JobID: Int]?
    /// While an order about many jobs is carried out: in each serial line, the job behind which the next job to run now is placed, so that
    /// these jobs keep their order.
    private var nextInLine: [QueueName: JobID]?
    var lines: [QueueName: LineRows] = [:]
    /// The order that is carried out, as the records of the jobs that obey it keep it.
    var order: JobOrder?
    private var apps: ClientRoutes
    /// The message that is being received, if it is an event whose text is known.
    private var received: (event: UploadEvent, body: Data)?
    /// The original texts of orders that came with this batch.
    private var orderTexts: [JobID: Data] = [:]
    /// The rows to write, apart from those of jobs and serial lines.
    private var changes = LedgerChanges()

    /// - Parameters:
    ///   - routes: which outcomes go into whose outbox.
    ///   - markerID: makes the ids of markers.
    package init(
        _ store: any LedgerStore, view: ControlView, routes: [DeliveryRoute], now: Date,
        markerID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        self.store = store
        self.view = view
        self.routes = routes
        self.now = now
        self.markerID = markerID
        apps = ClientRoutes(routes)
    }

    func machine(of id: JobID) -> IssuingMachine {
        IssuingMachine(fence: view.fence(of: id), now: now, markerID: markerID)
    }

    mutating func load(_ ids: Set<JobID>) throws {
        let new = ids.filter { jobs[$0] == nil && damaged[$0] == nil }
        guard !new.isEmpty else { return }
        jobs.reserveCapacity(jobs.count + new.count)
        for (id, stored) in try store.jobs(new) {
            switch stored {
            case .job(let job):
                jobs[id] = job
                self.stored[id] = job
            case .damaged(let damage): damaged[id] = damage
            }
        }
    }

    /// - Throws: the damage, so that no decision is made about a job whose row cannot be read: it may have ended already.
    private func check(_ id: JobID) throws(DamagedRow) {
        if let damage = damaged[id] { throw damage }
    }

    // MARK: Messages

    /// Records messages in the order in which they came.
    package mutating func receive(_ messages: [NotifierMessage]) throws {
        try load(Set(messages.compactMap(\.job)))
        for message in messages { try receive(message) }
    }

    private mutating func receive(_ message: NotifierMessage) throws {
        if case .unreadable(let body, let reason, let envelope) = message {
            return keep(body, reason: reason, envelope)
        }
        guard let id = message.job else { return }
        try check(id)
        // Each message about a job registers its app: an earlier ledger, now lost, may have had the job's first message.
        if let client = message.client { _ = try apps.route(of: client, in: store, &changes) }
        if case .job(let order, _, _) = message, order.idempotencyKey != nil, let known = jobs[id] {
            try noteRepeat(order, of: known)
        }
        // A second use of the key may have put other content under it: the first use holds.
        if case .job(_, _, let body?) = message, jobs[id]?.isWhole != true { orderTexts[id] = body }
        if case .event(let event, let body?) = message { received = (event, body) }
        defer { received = nil }
        // Rule 3: issuing. The machine decides, this transaction notes it.
        try carryOut(machine(of: id).receive(message, for: jobs[id]), of: id)
    }

    /// Handles an idempotency key that was used again. The app may wait for an outcome that was published long ago, so the outcome is
    /// published once more, without deliveries to delegates. An order with other content under the key, from a staging area that does not
    /// know the first order, is kept for an operator to see.
    private mutating func noteRepeat(_ order: UploadJob, of known: LedgerJob) throws {
        // A forgotten job has nothing to compare with.
        if order.isOther(than: known.baton.job), known.forgottenAt == nil {
            keep(
                try WireJSON.encode(order.redacted),
                reason:
                    "refused: the idempotency key of job \(order.id) was used before for something else; the first one holds",
                MessageEnvelope(messageID: order.id.rawValue, isRedacted: true))
        }
        guard let end = known.end else { return }
        let new = changes.events.first { $0.event.id == end.event }?.event
        guard let event = try new ?? store.event(end.event, of: known.id) else { return }
        try owe(.outcome(event.told), of: known.id, source: end.event)
    }

    private mutating func keep(_ body: Data, reason: String, _ envelope: MessageEnvelope?) {
        changes.letters.append(LedgerChanges.Letter(body, reason: reason, envelope))
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
        if let job = decision.job, job.hold != wasHeld { hold(job) }
        if let job = decision.job { try keepLine(of: job, since: before, place: decision.place) }
    }

    private mutating func record(_ event: UploadEvent) throws {
        let body = if let received, received.event == event { received.body } else { try WireJSON.encode(event) }
        changes.events.append(LedgerChanges.Event(event, body: body))
    }

    private mutating func deliver(_ outcome: UploadEvent, source: String) throws {
        let app = try outcome.job.client.flatMap { try apps.route(of: $0, in: store, &changes) }
        // The delegate of the job's app may not be served yet.
        for route in routes.filter({ $0.delegate != app?.delegate }) + [app].compactMap(\.self)
        where route.takes(outcome) {
            changes.deliveries.append(
                LedgerChanges.Delivery(
                    delegate: route.delegate, outcome: outcome.id, job: outcome.job.id, event: source))
        }
    }

    /// The action with the original order in its baton: stored jobs have redacted orders.
    private func issuable(_ action: IssuingAction) throws -> IssuingAction {
        guard case .issue(var baton, let lane, let maybeRepeated) = action, stored[baton.job.id] != nil,
            baton.job.isRedacted, let original = try store.originalOrder(of: baton.job.id)
        else { return action }
        baton.job = original.known(like: baton.job)
        return .issue(baton, lane: lane, maybeRepeated: maybeRepeated)
    }

    private mutating func owe(_ action: IssuingAction, of id: JobID, source: String? = nil) throws {
        guard action.isPublication else { return }
        changes.owed.append(LedgerChanges.Owed(job: id, action: action, source: source))
    }

    /// Owes a control entry that is not about one job.
    mutating func owe(_ entry: ControlEntry) throws {
        for part in entry.parts { try owe(.append(part), of: OwedAction.sharedJob) }
    }

    // MARK: Held jobs

    private mutating func hold(_ job: LedgerJob) {
        changes.holds[job.id] = .some(
            job.hold.map {
                LedgerChanges.Hold(
                    queue: job.baton.job.queue, until: $0.until, needsWorker: $0.cause == .policy)
            })
    }

    /// Begins to issue jobs that are held.
    mutating func issueHeld(_ ids: [JobID]) throws {
        try load(Set(ids))
        for id in ids {
            // A held job is known. The row of an unknown job, or of one whose row cannot be read, would otherwise come up for ever.
            guard let job = jobs[id], job.hold != nil else {
                changes.holds[id] = .some(nil)
                continue
            }
            try carryOut(machine(of: id).issueHeld(job), of: id)
        }
    }

    /// Holds a job whose baton no lane has taken.
    mutating func unclaimed(_ baton: Baton, _ cause: DeathCause) throws {
        let id = baton.job.id
        try load([id])
        try check(id)
        try carryOut(machine(of: id).unclaimed(baton, cause, for: jobs[id]), of: id)
    }

    // MARK: Orders

    /// - Throws: `rejected` for a job that is not known, or whose row cannot be read.
    func obeying(_ id: JobID) throws(UploadError) -> LedgerJob {
        if let damage = damaged[id] { throw UploadError(.rejected, damage.text, cause: damage) }
        guard let job = jobs[id] else { throw UploadError(.rejected, "the ledger knows no job \(id)") }
        return job
    }

    /// Applies a verb to a job that was loaded.
    /// - Throws: `rejected` if the job cannot obey.
    private mutating func order(_ verb: Verb, of id: JobID) throws {
        let job = try obeying(id)
        // Rule 5: verbs. The machine decides, this transaction notes it.
        let decision = try machine(of: id).order(verb, of: job)
        if verb == .forget { try checkTold(id) }
        try carryOut(decision, of: id)
        if verb != .forget { noteOrder(of: id) }
    }

    /// Notes the order in the record of a job that has obeyed it.
    mutating func noteOrder(of id: JobID) {
        guard let order, var job = jobs[id] else { return }
        job.orders = (job.orders + [order]).suffix(JobOrder.countMaximum)
        jobs[id] = job
        if isChanged.insert(id).inserted { changed.append(id) }
    }

    /// Carries out an operator's verb for one job.
    /// - Throws: `rejected` if the job is not known, or cannot obey.
    package mutating func order(_ verb: Verb, ofJob id: JobID) throws {
        try load([id])
        try order(verb, of: id)
    }

    /// - Throws: `rejected` while a delivery or publication of the job is still to be made: delegates get it whole, or not at all.
    private func checkTold(_ job: JobID) throws {
        switch try store.untold(of: job) {
        case .delivery(let delegate):
            throw UploadError(
                .rejected,
                "delegate '\(delegate)' has not received the outcome of job \(job) yet; forget the job when it has. 'uploadctl "
                    + "delegate show \(delegate)' shows the reason; removing the delegate drops its undelivered outcomes"
            )
        case .publication:
            throw UploadError(
                .rejected, "the broker has not confirmed the last messages of job \(job) yet; try again in a moment")
        case nil: break
        }
    }

    /// Applies one verb to many jobs, with one control entry where that is enough.
    mutating func order(_ verb: Verb, of ids: [JobID]) throws -> [OrderAnswer.Job] {
        try load(Set(ids))
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

    // MARK: Serial lines

    func line(of queue: QueueName) -> LineRows { lines[queue] ?? LineRows(queue, in: store) }

    /// Keeps the job's row in its serial line, and releases the next job if no job of the line is under way any more.
    private mutating func keepLine(of job: LedgerJob, since before: LinePhase?, place: SerialPosition?) throws {
        guard job.line != before || (job.line == .waiting && place != nil) else { return }
        let queue = job.baton.job.queue
        var line = line(of: queue)
        switch job.line {
        case .waiting:
            var place = place ?? .end
            if place == .next, nextInLine != nil {
                if let ahead = nextInLine?[queue] { place = SerialPosition(index: 0, after: ahead) }
                nextInLine?[queue] = job.id
            }
            try line.remove(job.id)
            if let other = place.after { try load([other]) }
            // A job of another line counts as one that is not known.
            let other = place.after.flatMap { jobs[$0] }.flatMap { $0.baton.job.queue == queue ? $0 : nil }
            try line.insert(job.id, at: SerialLine.target(of: place, behind: other))
        case .releasing, .released: try line.release(job.id)
        case nil: try line.remove(job.id)
        }
        lines[queue] = line
        try releaseNext(in: queue)
    }

    private mutating func releaseNext(in queue: QueueName) throws {
        guard SerialLine.releasesNext(ofThoseOnTheirWay: try line(of: queue).releasedCount()) else { return }
        while let first = try line(of: queue).first() {
            if let next = JobID(first.job) {
                try load([next])
                if let known = jobs[next], known.line == .waiting {
                    return try carryOut(machine(of: next).release(known), of: next)
                }
                // A damaged job cannot be issued, since its order is in that row; the jobs behind it must not wait for ever.
                if let damage = damaged[next] {
                    keep(
                        Data(), reason: "left out of the serial line of '\(queue)': \(damage.text)",
                        MessageEnvelope(messageID: first.job, isRedacted: true))
                }
            }
            var line = line(of: queue)
            try line.remove(first)
            lines[queue] = line
        }
    }

    // MARK: Saving

    /// Writes the changed rows.
    /// - Parameter progress: the order that was carried out, with its progress.
    /// - Returns: the publications that are now owed, in order.
    package mutating func save(_ progress: LedgerChanges.Order? = nil) throws -> [OwedAction] {
        for id in changed {
            guard var job = jobs[id] else { continue }
            let isWhole = job.isWhole && !job.baton.job.isRedacted
            let original = isWhole ? try orderTexts[id] ?? WireJSON.encode(job.baton.job) : nil
            job.baton = job.baton.redacted
            let change = LedgerChanges.Job(job, before: stored[id], original: original)
            changes.jobs.append(change)
            if change.changesNames, job.forgottenAt != nil { changes.forgotten.append(job) }
        }
        for line in lines.values.sorted(by: { $0.queue.rawValue < $1.queue.rawValue }) {
            changes.places += line.changes
        }
        changes.order = progress
        changes.audit = progress.flatMap { $0.progress.isDone ? AuditEntry(of: $0.order, $0.progress.answer) : nil }
        return zip(try store.write(changes, at: now), changes.owed).map { id, owed in
            OwedAction(id: id, job: owed.job, action: owed.action)
        }
    }
}

extension NotifierMessage {
    /// The job that the message is about.
    package var job: JobID? {
        switch self {
        case .job(let job, _, _): job.id
        case .event(let event, _): event.job.id
        case .marker(let marker): marker.job
        case .deadBaton(let baton, _): baton.job.id
        case .order, .unreadable: nil
        }
    }

    /// The app whose managers receive the job's outcomes.
    package var client: String? {
        switch self {
        case .job(let job, _, _): job.client
        case .event(let event, _): event.job.client
        case .deadBaton(let baton, _): baton.job.client
        case .marker, .order, .unreadable: nil
        }
    }
}
