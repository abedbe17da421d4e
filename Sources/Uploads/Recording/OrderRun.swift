import Foundation

/// Carries out an order, one part in each transaction, so that recording never waits long.
package struct OrderRun: Sendable {
    /// The most jobs of an order that are handled in one transaction.
    package static let pageMaximum = 500
    /// The most jobs of an order to forget that are handled in one transaction: such an order changes more rows for each job.
    package static let forgettingPageMaximum = 100

    var order: UploadOrder
    var view: ControlView
    /// Which outcomes go into whose outbox.
    var routes: [DeliveryRoute]
    var now: Date

    /// Carries out the next part.
    /// - Parameter isSingly: whether a job that cannot obey is rolled back and answered by itself.
    func step(in store: any LedgerStore, isSingly: Bool) throws -> OrderStep {
        var progress = try store.progress(of: order.id) ?? OrderProgress(OrderAnswer(order: order.id))
        guard !progress.isDone else { return OrderStep(owed: [], answer: progress.answer) }
        var batch = self.batch(in: store)
        var owed: [OwedAction] = []
        func obey(_ verb: Verb, _ page: [JobID]) throws -> [OrderAnswer.Job] {
            guard isSingly else { return try batch.order(verb, of: page) }
            return try page.map { try answer(verb, $0, &owed, in: store) }
        }
        switch order.command {
        case .stopQueues(let queues):
            for queue in queues { try batch.owe(.queueStopped(queue)) }
            progress.finish(count: queues.count)
        case .startQueues(let queues):
            for queue in queues { try batch.owe(.queueStarted(queue)) }
            progress.finish(count: queues.count)
        case .drainWorkers(let workers):
            for worker in workers { try batch.owe(.workerDrained(worker)) }
            progress.finish(count: workers.count)
        case .resumeWorkers(let workers):
            for worker in workers { try batch.owe(.workerResumed(worker)) }
            progress.finish(count: workers.count)
        case .move(let ids, let target):
            try progress.add(batch.move(ids, target))
            progress.isDone = true
        case .sweepDestination, .sweepStaging:
            // The sweepers make sweeps, since no transaction can wait for one.
            progress.finish(count: 0)
        case .ask:
            // `reports` answers questions, and writes nothing.
            progress.finish(count: 0)
        case .jobs(let verb, let ids):
            let page = Array(ids.dropFirst(progress.answer.matched).prefix(Self.pageMaximum(verb)))
            try progress.add(obey(verb, page))
            progress.isDone = progress.answer.matched >= ids.count
        case .matching(let verb, let filter, let atMost):
            if let atMost, progress.after == nil {
                let count = try store.count(filter, for: verb)
                if count > atMost {
                    progress.answer.matched = count
                    progress.answer.problem = .tooMany
                    progress.isDone = true
                    break
                }
            }
            let page = try store.page(filter, for: verb, after: progress.after, limit: Self.pageMaximum(verb))
            try progress.add(obey(verb, page.jobs))
            progress.after = page.next ?? progress.after
            progress.isDone = page.next == nil
        }
        owed += try batch.save(LedgerChanges.Order(order.kept(isDone: progress.isDone), progress))
        return OrderStep(owed: owed, answer: progress.isDone ? progress.answer : nil)
    }

    /// Applies a verb to one job, whose failure changes nothing.
    private func answer(
        _ verb: Verb, _ job: JobID, _ owed: inout [OwedAction], in store: any LedgerStore
    ) throws -> OrderAnswer.Job {
        var (answers, own): ([OrderAnswer.Job], [OwedAction]) = ([], [])
        let failure = try store.attempt {
            var batch = self.batch(in: store)
            answers = try batch.order(verb, of: [job])
            own = try batch.save()
        }
        guard failure == nil, let answer = answers.first else {
            return OrderAnswer.Job(id: job, reason: failure ?? "the ledger cannot record it")
        }
        owed += own
        return answer
    }

    private func batch(in store: any LedgerStore) -> LedgerBatch {
        var batch = LedgerBatch(store, view: view, routes: routes, now: now)
        batch.order = JobOrder(verb: order.command.verb, by: order.by, at: order.at)
        return batch
    }

    private static func pageMaximum(_ verb: Verb) -> Int {
        verb == .forget ? forgettingPageMaximum : pageMaximum
    }
}
