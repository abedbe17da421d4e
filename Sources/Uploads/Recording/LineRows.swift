/// A serial line as a batch leaves it: the stored rows, and above them the rows that the batch has changed.
struct LineRows {
    let queue: QueueName
    private let store: any LedgerStore
    /// The rows that the batch has changed, by their jobs.
    private var changed: [String: Change] = [:]

    private struct Change {
        var stored: LineRow?
        /// nil: removed.
        var row: LineRow?
    }

    init(_ queue: QueueName, in store: any LedgerStore) {
        self.queue = queue
        self.store = store
    }

    /// The changed rows. A removed row is removed even if the line has none: a damaged row may name another queue.
    var changes: [LedgerChanges.Place] {
        changed.filter { $0.value.row == nil || $0.value.row != $0.value.stored }.sorted { $0.key < $1.key }
            .map { LedgerChanges.Place(queue: queue, job: $0.key, row: $0.value.row) }
    }

    // MARK: Reading

    /// The number of jobs of the line that are released and have not ended.
    func releasedCount() throws -> Int {
        let (before, after) = (
            changed.values.count { $0.stored == .released }, changed.values.count { $0.row == .released }
        )
        return try store.releasedCount(inLineOf: queue) - before + after
    }

    /// The first waiting job.
    func first() throws -> WaitingJob? { try next(beyond: nil) }

    /// The number of waiting jobs ahead of a number.
    func count(before number: Int64) throws -> Int {
        let (before, after) = (
            changed.values.count { $0.stored?.isAhead(of: number) == true },
            changed.values.count { $0.row?.isAhead(of: number) == true }
        )
        return try store.waitingCount(inLineOf: queue, before: number) - before + after
    }

    /// The number of a job that waits in this line.
    func number(of job: JobID) throws -> Int64? {
        let name = job.rawValue
        let row = try changed[name].map(\.row) ?? store.row(of: name, inLineOf: queue)
        return if case .waiting(let number) = row { number } else { nil }
    }

    /// The waiting job next to a place, or at an end of the line.
    private func next(beyond place: WaitingJob?, isBackward: Bool = false) throws -> WaitingJob? {
        var found: WaitingJob?
        var start = place
        // Only jobs that the batch has changed are in the way: mostly none.
        var limit = 1
        pages: while true {
            let page = try store.waiting(inLineOf: queue, beyond: start, isBackward: isBackward, limit: limit)
            for job in page where changed[job.job] == nil {
                found = job
                break pages
            }
            guard page.count == limit, let last = page.last else { break }
            start = last
            limit = min(limit * 8, Self.pageMaximum)
        }
        for (job, change) in changed {
            guard case .waiting(let number) = change.row else { continue }
            let own = WaitingJob(job: job, number: number)
            if let place, !place.isAhead(of: own, isBackward) { continue }
            if found.map({ own.isAhead(of: $0, isBackward) }) ?? true { found = own }
        }
        return found
    }

    private static let pageMaximum = 500

    /// All waiting jobs in order, at most `limit`.
    private func waiting(limit: Int) throws -> [WaitingJob] {
        var own: [WaitingJob] = []
        for (job, change) in changed {
            if case .waiting(let number) = change.row { own.append(WaitingJob(job: job, number: number)) }
        }
        own.sort { $0.isAhead(of: $1, false) }
        var (all, rest): ([WaitingJob], ArraySlice<WaitingJob>) = ([], own[...])
        var start: WaitingJob?
        while all.count < limit {
            let page = try store.waiting(inLineOf: queue, beyond: start, isBackward: false, limit: Self.pageMaximum)
            for job in page where changed[job.job] == nil {
                while let first = rest.first, first.isAhead(of: job, false) { all.append(rest.removeFirst()) }
                all.append(job)
            }
            guard page.count == Self.pageMaximum, let last = page.last else { break }
            start = last
        }
        return Array((all.count < limit ? all + rest : all).prefix(limit))
    }

    // MARK: Changing

    mutating func release(_ job: JobID) throws { try put(.released, job.rawValue) }

    mutating func remove(_ job: JobID) throws { try put(nil, job.rawValue) }

    /// - Parameter job: the text of a row, which may be damaged.
    mutating func remove(_ job: WaitingJob) throws { try put(nil, job.job) }

    /// - Parameter job: a job that is not in the line.
    mutating func insert(_ job: JobID, at target: SerialLine.Target) throws {
        var (lower, upper) = try neighbours(at: target)
        var number = SerialLine.number(after: lower, before: upper)
        if number == nil {
            try renumber()
            (lower, upper) = try neighbours(at: target)
            number = SerialLine.number(after: lower, before: upper)
        }
        guard let number else { throw UploadError(.unknown, "the serial line of '\(queue)' has no room left") }
        try put(.waiting(number: number), job.rawValue)
    }

    private mutating func put(_ row: LineRow?, _ job: String) throws {
        if changed[job] == nil {
            changed[job] = Change(stored: try store.row(of: job, inLineOf: queue))
        }
        changed[job]?.row = row
    }

    private func neighbours(at target: SerialLine.Target) throws -> (Int64?, Int64?) {
        switch target {
        case .end: return (try last(), nil)
        case .index(0): return (nil, try first()?.number)
        case .index(let index):
            let ahead = try waiting(limit: index.addingSaturating(1))
            guard ahead.count >= index else { return (ahead.last?.number, nil) }
            return (ahead[index - 1].number, ahead.count > index ? ahead[index].number : nil)
        case .behind(let job):
            guard let lower = try number(of: job) else { return (try last(), nil) }
            return (lower, try next(beyond: WaitingJob(job: job.rawValue, number: lower))?.number)
        }
    }

    private func last() throws -> Int64? { try next(beyond: nil, isBackward: true)?.number }

    private mutating func renumber() throws {
        for (index, waiting) in try waiting(limit: .max).enumerated() {
            try put(.waiting(number: SerialLine.number(at: index)), waiting.job)
        }
    }
}

extension LineRow {
    fileprivate func isAhead(of number: Int64) -> Bool {
        if case .waiting(let own) = self { own < number } else { false }
    }
}

extension WaitingJob {
    /// Whether it comes before another one on the way through the line.
    fileprivate func isAhead(of other: WaitingJob, _ isBackward: Bool) -> Bool {
        let (left, right) = isBackward ? (other, self) : (self, other)
        return (left.number, left.job) < (right.number, right.job)
    }
}
