extension LedgerBatch {
    /// Moves jobs of serial lines to another place, one behind the other.
    mutating func move(_ ids: [JobID], _ target: LineTarget) throws -> [OrderAnswer.Job] {
        try load(Set(ids + [target.other].compactMap(\.self)))
        let answers = ids.map { id in
            do throws(UploadError) {
                let job = try obeying(id)
                try check(job, target)
                _ = try machine(of: id).move(job, to: .end)
                return OrderAnswer.Job(id: id)
            } catch {
                return OrderAnswer.Job(id: id, reason: error.message)
            }
        }
        let moving = answers.filter(\.done).compactMap { jobs[$0.id] }
        // The moved jobs do not count among the jobs ahead of each other.
        for job in moving {
            var line = line(of: job.baton.job.queue)
            try line.remove(job.id)
            lines[line.queue] = line
        }
        var last: [QueueName: JobID] = [:]
        for job in moving {
            let queue = job.baton.job.queue
            let place = try place(target, behind: last[queue], line(of: queue))
            try carryOut(machine(of: job.id).move(job, to: place), of: job.id)
            noteOrder(of: job.id)
            last[queue] = job.id
        }
        return answers
    }

    /// Checks that the job can be put beside the target's job.
    private func check(_ job: LedgerJob, _ target: LineTarget) throws(UploadError) {
        guard let id = target.other else { return }
        func refuse(_ why: String) -> UploadError { UploadError(.rejected, "job \(job.id) is not moved: \(why)") }
        guard id != job.id else { throw refuse("it cannot stand beside itself") }
        guard let other = jobs[id] else { throw refuse("the ledger knows no job \(id)") }
        let queue = job.baton.job.queue
        guard other.baton.job.serial != nil, other.baton.job.queue == queue else {
            throw refuse("job \(id) does not belong to the serial line of queue '\(queue)'")
        }
        if other.line == .waiting { return }
        guard case .after = target else {
            throw refuse("job \(id) does not wait in the line (any more), so nothing can be put before it")
        }
        let hasRun = other.line != nil || (other.end.map { $0.kind != .cancelled } ?? false)
        guard hasRun else { throw refuse("job \(id) has left the line") }
    }

    /// - Parameter last: the job that was moved just before.
    private func place(_ target: LineTarget, behind last: JobID?, _ rows: LineRows) throws -> SerialPosition {
        switch target {
        case .index(let index): return SerialPosition(index: index, after: last)
        case .after(let other): return SerialPosition(index: 0, after: last ?? other)
        case .before(let other):
            let number = try rows.number(of: other)
            return SerialPosition(index: try number.map { try rows.count(before: $0) } ?? 0, after: last)
        }
    }
}

extension LineTarget {
    /// The job beside which the target is.
    fileprivate var other: JobID? {
        switch self {
        case .index: nil
        case .before(let job), .after(let job): job
        }
    }
}
