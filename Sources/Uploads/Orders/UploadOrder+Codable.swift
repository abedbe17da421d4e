import Foundation

extension UploadOrder: Codable {
    private enum Key: String, CodingKey {
        case id, verb, jobs, to, before, after, filter, atMost, queues, workers, by, at, destination, olderThan, dryRun
    }

    /// The verbs for queues. On the wire they share a field with those for jobs.
    private enum QueueVerb: String, Codable { case stopQueue, startQueue }
    private enum WorkerVerb: String, Codable { case drainWorker, resumeWorker }

    /// The verb for places in a line.
    private enum LineVerb: String, Codable { case move }
    private enum SweepVerb: String, Codable { case sweepDestination, sweepStaging }
    private enum QuestionVerb: String, Codable { case ask }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let id = try container.decode(UUID.self, forKey: .id)
        let by = try container.decodeTextIfPresent(atMost: WireLimits.nameLengthMaximum, forKey: .by) ?? ""
        let at = try container.decode(Date.self, forKey: .at)
        func bounded<Element>(_ list: [Element], _ key: Key, _ maximum: Int) throws -> [Element] {
            guard (1...maximum).contains(list.count) else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container, debugDescription: "\(list.count) are named: expected 1 to \(maximum)")
            }
            return list
        }
        if let verb = QueueVerb(rawValue: try container.decode(String.self, forKey: .verb)) {
            let queues = try bounded(
                try container.decode([QueueName].self, forKey: .queues), .queues, Self.queuesMaximum)
            self.init(verb == .stopQueue ? .stopQueues(queues) : .startQueues(queues), by: by, at: at, id: id)
            return
        }
        if let verb = WorkerVerb(rawValue: try container.decode(String.self, forKey: .verb)) {
            let workers = try bounded(
                try container.decodeWorkers(atMost: Self.workersMaximum, forKey: .workers), .workers,
                Self.workersMaximum)
            self.init(verb == .drainWorker ? .drainWorkers(workers) : .resumeWorkers(workers), by: by, at: at, id: id)
            return
        }
        if LineVerb(rawValue: try container.decode(String.self, forKey: .verb)) != nil {
            let jobs = try bounded(try container.decode([JobID].self, forKey: .jobs), .jobs, Self.jobsMaximum)
            self.init(.move(jobs, try Self.target(container)), by: by, at: at, id: id)
            return
        }
        if QuestionVerb(rawValue: try container.decode(String.self, forKey: .verb)) != nil {
            let jobs = try bounded(try container.decode([JobID].self, forKey: .jobs), .jobs, Self.jobsMaximum)
            self.init(.ask(jobs), by: by, at: at, id: id)
            return
        }
        if let verb = SweepVerb(rawValue: try container.decode(String.self, forKey: .verb)) {
            self.init(try Self.sweep(verb, container), by: by, at: at, id: id)
            return
        }
        let verb = try container.decode(Verb.self, forKey: .verb)
        if container.contains(.jobs) {
            guard !container.contains(.filter) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .filter, in: container, debugDescription: "'jobs' is given as well: expected one of the two"
                )
            }
            let jobs = try bounded(try container.decode([JobID].self, forKey: .jobs), .jobs, Self.jobsMaximum)
            self.init(.jobs(verb, jobs), by: by, at: at, id: id)
        } else {
            let filter = try container.decode(OrderFilter.self, forKey: .filter)
            let atMost = try container.decodeIfPresent(0...WireLimits.countMaximum, forKey: .atMost)
            self.init(.matching(verb, filter, atMost: atMost), by: by, at: at, id: id)
        }
    }

    private static func target(_ container: KeyedDecodingContainer<Key>) throws -> LineTarget {
        let keys = [Key.to, .before, .after].filter { container.contains($0) }
        guard keys.count == 1, let key = keys.first else {
            throw DecodingError.dataCorruptedError(
                forKey: .to, in: container, debugDescription: "expected one of to, before and after")
        }
        switch key {
        case .before: return .before(try container.decode(JobID.self, forKey: key))
        case .after: return .after(try container.decode(JobID.self, forKey: key))
        default:
            return .index(try container.decode(0...WireLimits.countMaximum, forKey: .to))
        }
    }

    private static func sweep(
        _ verb: SweepVerb, _ container: KeyedDecodingContainer<Key>
    ) throws -> Command {
        // An order without `dryRun` removes nothing.
        let dryRun = try container.decodeIfPresent(Bool.self, forKey: .dryRun) ?? true
        guard verb == .sweepDestination else { return .sweepStaging(dryRun: dryRun) }
        // A younger upload may still be in use.
        let olderThan = try container.decodeIfPresent(
            sweepAfterMinimum...WireLimits.secondsMaximum, forKey: .olderThan)
        let name = try container.decode(DestinationName.self, forKey: .destination)
        return .sweepDestination(name, olderThan: olderThan, dryRun: dryRun)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(by, forKey: .by)
        try container.encode(at, forKey: .at)
        switch command {
        case .jobs(let verb, let jobs):
            try container.encode(verb, forKey: .verb)
            try container.encode(jobs, forKey: .jobs)
        case .matching(let verb, let filter, let atMost):
            try container.encode(verb, forKey: .verb)
            try container.encode(filter, forKey: .filter)
            try container.encodeIfPresent(atMost, forKey: .atMost)
        case .move(let jobs, let target):
            try container.encode(LineVerb.move, forKey: .verb)
            try container.encode(jobs, forKey: .jobs)
            switch target {
            case .index(let index): try container.encode(index, forKey: .to)
            case .before(let job): try container.encode(job, forKey: .before)
            case .after(let job): try container.encode(job, forKey: .after)
            }
        case .stopQueues(let queues):
            try container.encode(QueueVerb.stopQueue, forKey: .verb)
            try container.encode(queues, forKey: .queues)
        case .startQueues(let queues):
            try container.encode(QueueVerb.startQueue, forKey: .verb)
            try container.encode(queues, forKey: .queues)
        case .drainWorkers(let workers):
            try container.encode(WorkerVerb.drainWorker, forKey: .verb)
            try container.encode(workers, forKey: .workers)
        case .resumeWorkers(let workers):
            try container.encode(WorkerVerb.resumeWorker, forKey: .verb)
            try container.encode(workers, forKey: .workers)
        case .sweepDestination(let name, let olderThan, let dryRun):
            try container.encode(SweepVerb.sweepDestination, forKey: .verb)
            try container.encode(name, forKey: .destination)
            try container.encodeIfPresent(olderThan, forKey: .olderThan)
            try container.encode(dryRun, forKey: .dryRun)
        case .sweepStaging(let dryRun):
            try container.encode(SweepVerb.sweepStaging, forKey: .verb)
            try container.encode(dryRun, forKey: .dryRun)
        case .ask(let jobs):
            try container.encode(QuestionVerb.ask, forKey: .verb)
            try container.encode(jobs, forKey: .jobs)
        }
    }
}
