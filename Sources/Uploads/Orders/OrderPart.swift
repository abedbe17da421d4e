public import Foundation

/// One shard's part of an order about jobs of several shards.
public struct OrderPart: Hashable, Sendable {
    /// The whole order.
    public let order: UUID
    /// The shard of this part, from 0.
    public let shard: Int
    /// How many parts the order has.
    public let count: Int
}

extension UploadOrder {
    /// The shards that this order concerns, in their order; an order about no jobs concerns the first.
    public func shards(of shards: Shards) -> [Int] {
        switch command {
        case .jobs(_, let jobs), .move(let jobs, _), .ask(let jobs): Set(jobs.map(shards.shard(of:))).sorted()
        case .matching(_, let filter, _): filter.shards(of: shards)
        case .stopQueues, .startQueues, .drainWorkers, .resumeWorkers, .sweepDestination, .sweepStaging: [0]
        }
    }

    /// The part of a shard. Each part has an id that follows from the id of the order, so that a part that comes again is known.
    /// - Returns: nil if the order does not concern the shard.
    public func part(_ shard: Int, of shards: Shards) -> UploadOrder? {
        let concerned = self.shards(of: shards)
        guard concerned.contains(shard) else { return nil }
        func own(_ jobs: [JobID]) -> [JobID] { jobs.filter { shards.shard(of: $0) == shard } }
        let command: Command =
            switch self.command {
            case .jobs(let verb, let jobs): .jobs(verb, own(jobs))
            case .move(let jobs, let target): .move(own(jobs), target)
            case .ask(let jobs): .ask(own(jobs))
            // The jobs of the whole order were counted before it was divided.
            case .matching(let verb, let filter, _): .matching(verb, filter.of(shard, shards), atMost: nil)
            case .stopQueues, .startQueues, .drainWorkers, .resumeWorkers, .sweepDestination, .sweepStaging:
                self.command
            }
        var part = UploadOrder(command, by: by, at: at, id: id.part(shard))
        part.part = OrderPart(order: id, shard: shard, count: concerned.count)
        return part
    }
}

extension OrderFilter {
    fileprivate func shards(of shards: Shards) -> [Int] {
        shards.all.filter { !digits(of: $0, shards).isEmpty }
    }

    fileprivate func of(_ shard: Int, _ shards: Shards) -> OrderFilter {
        var filter = self
        filter.digits = digits(of: shard, shards)
        return filter
    }

    /// The digits of a shard that match.
    private func digits(of shard: Int, _ shards: Shards) -> String {
        shards.digits(of: shard).filter { digits?.contains($0) ?? true }.joined()
    }
}

extension UploadOrder.Command {
    /// The jobs that are named by their ids; nil for a command that names none.
    public var named: [JobID]? {
        switch self {
        case .jobs(_, let jobs), .move(let jobs, _), .ask(let jobs): jobs
        case .matching, .stopQueues, .startQueues, .drainWorkers, .resumeWorkers, .sweepDestination, .sweepStaging: nil
        }
    }
}

extension UUID {
    /// The id of a shard's part: of version 8 (RFC 9562, section 5.8), which no id has that an order gets here, with another last digit for
    /// each shard.
    fileprivate func part(_ shard: Int) -> UUID {
        var bytes = uuid
        bytes.6 = 0x80 | bytes.6 & 0x0F
        bytes.15 ^= UInt8(truncatingIfNeeded: shard)
        return UUID(uuid: bytes)
    }
}
