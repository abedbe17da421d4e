import Foundation

extension ControlEntry: Codable {
    private enum Key: String, CodingKey {
        case kind, generations, jobs, queue, worker, id, piece, pieces, fences, pauses, stoppedQueues, drainedWorkers,
            ledger
    }
    private enum Kind: String, Codable {
        case fence, pause, lift, forget, queueStopped, queueStarted, workerDrained, workerResumed
        case snapshotBegins, snapshot, ledger, marker
    }

    /// Bounds: ``jobCountMaximum`` jobs or queues in each list, ``SnapshotPiece/workersMaximum`` workers, generations from 1 to ``WireLimits/countMaximum``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch try container.decode(Kind.self, forKey: .kind) {
        case .fence: self = .fence(try container.generations(.generations))
        case .pause: self = .pause(try container.generations(.generations))
        case .lift: self = .lift(try container.names(.jobs))
        case .forget: self = .forget(try container.generations(.generations))
        case .queueStopped: self = .queueStopped(try container.decode(QueueName.self, forKey: .queue))
        case .queueStarted: self = .queueStarted(try container.decode(QueueName.self, forKey: .queue))
        case .workerDrained: self = .workerDrained(try container.decodeWorker(forKey: .worker))
        case .workerResumed: self = .workerResumed(try container.decodeWorker(forKey: .worker))
        case .snapshotBegins: self = .snapshotBegins(try container.decode(UUID.self, forKey: .id))
        case .snapshot:
            let count = try container.decode(1...SnapshotPiece.countMaximum, forKey: .pieces)
            var piece = SnapshotPiece(
                of: try container.decode(UUID.self, forKey: .id),
                number: try container.decode(1...count, forKey: .piece), count: count)
            piece.fences = try container.generations(.fences)
            piece.pauses = try container.generations(.pauses)
            piece.stoppedQueues = Set(try container.names(.stoppedQueues) as [QueueName])
            piece.drainedWorkers =
                try container.decodeWorkersIfPresent(atMost: SnapshotPiece.workersMaximum, forKey: .drainedWorkers)
                ?? []
            piece.ledger = try container.decodeIfPresent(LedgerClaim.self, forKey: .ledger)
            self = .snapshot(piece)
        case .ledger: self = .ledger(try LedgerClaim(from: decoder))
        case .marker: self = .marker(try container.decode(UUID.self, forKey: .id))
        }
    }

    /// - Throws: `EncodingError` for an entry that names more jobs than any reader takes: see ``parts``.
    public func encode(to encoder: any Encoder) throws {
        guard parts.count == 1 else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "an entry names at most \(Self.jobCountMaximum) jobs: append its parts"))
        }
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .fence(let generations):
            try container.encode(Kind.fence, forKey: .kind)
            try container.encode(generations, forKey: .generations)
        case .pause(let generations):
            try container.encode(Kind.pause, forKey: .kind)
            try container.encode(generations, forKey: .generations)
        case .lift(let jobs):
            try container.encode(Kind.lift, forKey: .kind)
            try container.encode(jobs, forKey: .jobs)
        case .forget(let generations):
            try container.encode(Kind.forget, forKey: .kind)
            try container.encode(generations, forKey: .generations)
        case .queueStopped(let queue):
            try container.encode(Kind.queueStopped, forKey: .kind)
            try container.encode(queue, forKey: .queue)
        case .queueStarted(let queue):
            try container.encode(Kind.queueStarted, forKey: .kind)
            try container.encode(queue, forKey: .queue)
        case .workerDrained(let worker):
            try container.encode(Kind.workerDrained, forKey: .kind)
            try container.encode(worker, forKey: .worker)
        case .workerResumed(let worker):
            try container.encode(Kind.workerResumed, forKey: .kind)
            try container.encode(worker, forKey: .worker)
        case .snapshotBegins(let id):
            try container.encode(Kind.snapshotBegins, forKey: .kind)
            try container.encode(id, forKey: .id)
        case .snapshot(let piece):
            try container.encode(Kind.snapshot, forKey: .kind)
            try container.encode(piece.snapshot, forKey: .id)
            try container.encode(piece.number, forKey: .piece)
            try container.encode(piece.count, forKey: .pieces)
            try container.encode(piece.fences, forKey: .fences)
            try container.encode(piece.pauses, forKey: .pauses)
            try container.encode(piece.stoppedQueues, forKey: .stoppedQueues)
            if !piece.drainedWorkers.isEmpty { try container.encode(piece.drainedWorkers, forKey: .drainedWorkers) }
            try container.encodeIfPresent(piece.ledger, forKey: .ledger)
        case .ledger(let claim):
            try container.encode(Kind.ledger, forKey: .kind)
            try claim.encode(to: encoder)
        case .marker(let id):
            try container.encode(Kind.marker, forKey: .kind)
            try container.encode(id, forKey: .id)
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func generations(_ key: Key) throws -> [JobID: Int] {
        let generations = try decode([JobID: Int].self, forKey: key)
        try check(generations.count, key)
        guard generations.values.allSatisfy((1...WireLimits.countMaximum).contains) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "generations are from 1 to \(WireLimits.countMaximum)")
        }
        return generations
    }

    fileprivate func names<Name: Decodable>(_ key: Key) throws -> [Name] {
        try decodeList(of: Name.self, atMost: ControlEntry.jobCountMaximum, forKey: key)
    }

    private func check(_ count: Int, _ key: Key) throws {
        guard count <= ControlEntry.jobCountMaximum else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "\(count) names: an entry has at most \(ControlEntry.jobCountMaximum)")
        }
    }
}
