package import Foundation

/// What is recorded, owed and issued anew, for every ledger that makes transactions.
extension LedgerRecorder where Self: LedgerTransactions {
    package func record(
        _ messages: [NotifierMessage], view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> [OwedAction] {
        try await transaction { store in
            var batch = LedgerBatch(store, view: view, routes: routes, now: now)
            try batch.receive(messages)
            return try batch.save()
        }
    }

    package func recordSingly(
        _ messages: [NotifierMessage], view: ControlView, routes: [DeliveryRoute], now: Date,
        copy: @escaping @Sendable (NotifierMessage) -> MessageCopy
    ) async throws(UploadError) -> SingleRecording {
        // One transaction with a savepoint for each message waits for the disk only once.
        try await transaction { store in
            var recording = SingleRecording()
            for message in messages {
                let failure = try store.attempt {
                    var batch = LedgerBatch(store, view: view, routes: routes, now: now)
                    try batch.receive([message])
                    recording.owed += try batch.save()
                }
                guard let failure else { continue }
                let what = message.job.map { "a message of job \($0)" } ?? "a message"
                let reason = "the ledger cannot record \(what): \(failure)"
                let kept = copy(message)
                var changes = LedgerChanges()
                changes.letters = [LedgerChanges.Letter(kept.body, reason: reason, kept.envelope)]
                _ = try store.write(changes, at: now)
                recording.refusals.append(SingleRecording.Refusal(job: message.job, reason: reason))
            }
            return recording
        }
    }

    package func order(
        _ verb: Verb, of job: JobID, view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> [OwedAction] {
        try await transaction { store in
            var batch = LedgerBatch(store, view: view, routes: routes, now: now)
            try batch.order(verb, ofJob: job)
            return try batch.save()
        }
    }

    package func unclaimed(_ baton: Baton, _ cause: DeathCause, now: Date) async throws(UploadError) {
        try await transaction { store in
            var batch = LedgerBatch(store, view: ControlView(), routes: [], now: now)
            try batch.unclaimed(baton, cause)
            _ = try batch.save()
        }
    }

    package func release(
        _ queue: QueueName, hasWorker: Bool, view: ControlView, now: Date, limit: Int
    ) async throws(UploadError) -> [OwedAction] {
        try await transaction { store in
            let ids = try store.heldJobs(of: queue, hasWorker: hasWorker, now: now, limit: limit)
            guard !ids.isEmpty else { return [] }
            var batch = LedgerBatch(store, view: view, routes: [], now: now)
            try batch.issueHeld(ids)
            return try batch.save()
        }
    }

    package func accept(_ order: UploadOrder) async throws(UploadError) {
        try await transaction { store in
            guard try store.progress(of: order.id) == nil else { return }
            var changes = LedgerChanges()
            changes.order = LedgerChanges.Order(order, OrderProgress(OrderAnswer(order: order.id)))
            _ = try store.write(changes, at: order.at)
        }
    }

    package func carryOut(
        _ order: UploadOrder, view: ControlView, routes: [DeliveryRoute], now: Date
    ) async throws(UploadError) -> OrderStep {
        let run = OrderRun(order: order, view: view, routes: routes, now: now)
        do throws(UploadError) {
            return try await transaction { store in try run.step(in: store, isSingly: false) }
        } catch {
            guard LedgerFailure.isOfOne(error) else { throw error }
            // One of the jobs cannot obey for a reason of its own; the others can.
            return try await transaction { store in try run.step(in: store, isSingly: true) }
        }
    }

    package func count(_ filter: OrderFilter, for verb: Verb) async throws(UploadError) -> Int {
        try await transaction { store in try store.count(filter, for: verb) }
    }

    /// Forgets the names of ended jobs; a job that cannot obey is left as it is.
    /// - Returns: how many were forgotten.
    package func forgetNames(of jobs: [JobID], at now: Date) async throws(UploadError) -> Int {
        try await transaction { store in
            var count = 0
            for id in jobs {
                var answers: [OrderAnswer.Job] = []
                let failure = try store.attempt {
                    var batch = LedgerBatch(store, view: ControlView(), routes: [], now: now)
                    answers = try batch.order(.forget, of: [id])
                    _ = try batch.save()
                }
                if let failure {
                    store.report(DamagedRow("jobs", id.rawValue, why: "it cannot be forgotten: \(failure)"))
                } else {
                    count += answers.count(where: \.done)
                }
            }
            return count
        }
    }

    // MARK: Owed actions

    package func owed() async throws(UploadError) -> [OwedAction] {
        try await transaction { store in
            var owed: [OwedAction] = []
            var needless: [OwedAction.ID] = []
            var changes = LedgerChanges()
            for row in try store.owed() {
                do throws(DamagedRow) {
                    if let action = try row.owedAction() {
                        owed.append(action)
                        continue
                    }
                } catch {
                    store.report(error)
                    changes.letters.append(row.letter(error))
                }
                needless.append(row.id)
            }
            try store.strikeOff(needless)
            if !changes.letters.isEmpty { _ = try store.write(changes, at: Date()) }
            return owed
        }
    }
}

extension StoredOwedAction {
    /// The action to repeat; nil for one that a later event has made needless.
    fileprivate func owedAction() throws(DamagedRow) -> OwedAction? {
        func damage(_ why: String) -> DamagedRow { DamagedRow("owed", "\(id)", why: why) }
        guard let subject = JobID(job) else { throw damage("it names no job") }
        guard let action = try action.get() else { throw damage("it holds nothing to publish") }
        // Outcomes and control entries do not depend on the present state of the job.
        switch action {
        case .append, .outcome: break
        case .issue, .mark, .record, .note:
            let job: LedgerJob?
            switch known {
            case .job(let known): job = known
            case .damaged(let damage): throw damage
            case nil: job = nil
            }
            // Rule 3: issuing. A crash repeats from this note what was not confirmed.
            guard action.isNeeded(for: job) else { return nil }
        }
        return OwedAction(id: id, job: subject, action: action)
    }

    /// A damaged row as it is kept for an operator: a job whose next step is lost stands still until an operator runs it anew.
    fileprivate func letter(_ damage: DamagedRow) -> LedgerChanges.Letter {
        LedgerChanges.Letter(
            body,
            reason:
                "a publication that is owed for job \(job) is not made: \(damage.text); if the job stands still, issue it "
                + "anew ('uploadctl run \(job)'), then discard this",
            MessageEnvelope(messageID: job, isRedacted: true))
    }
}
