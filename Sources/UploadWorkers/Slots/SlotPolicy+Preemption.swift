import Uploads

/// Decides which running slices make way for waiting deliveries.
extension SlotPolicy {
    /// Asks slices to hand over for the waiting deliveries.
    mutating func preemptions() -> [Decision] {
        if waiting.contains(where: \.runsAlone), !lastRanAlone {
            return ask(running.count - askedCount(for: nil), for: .loneliness) { !$0.isEntitled }
        }
        let decisions = preemptionsAtLimits()
        guard occupied >= concurrency else { return decisions }
        let urgent = waiting.count { $0.lane == .urgent && isEligible($0) && !isHeld($0) }
        let working = Set(running.filter { !isHeld($0.request) }.map(\.request.id))
        let made = ask(urgent - askedCount(for: .urgency), for: .urgency) {
            $0.request.lane != .urgent && !$0.isEntitled && working.contains($0.request.id)
        }
        return decisions + made + queueSharePreemptions() + destinationSharePreemptions()
    }

    /// For urgent deliveries for which only a slice of their own destination can make way.
    private mutating func preemptionsAtLimits() -> [Decision] {
        var blocked: [String: Int] = [:]
        for request in waiting where request.lane == .urgent && !request.runsAlone {
            if isAtLimit(request) { blocked[request.destination, default: 0] += 1 }
        }
        var decisions: [Decision] = []
        for (destination, count) in blocked.sorted(by: { $0.key < $1.key }) {
            let asked = running.count { $0.request.destination == destination && $0.askedFor == .limit }
            decisions += ask(count - asked, for: .limit) {
                $0.request.destination == destination && $0.request.lane != .urgent && !$0.isEntitled
            }
        }
        return decisions
    }

    /// A queue that has jobs but no slot gets a slot from the queue that has most slots.
    private mutating func queueSharePreemptions() -> [Decision] {
        let busy = Set(running.map(\.request.queue))
        let lacking = Set(waiting.filter { !busy.contains($0.queue) && isEligible($0) }.map(\.queue))
        return sharePreemptions(lacking.count, for: .queueShare) { $0.queue.rawValue }
    }

    /// A destination that has jobs but no slot gets a slot from the destination that has most: many jobs of a slow destination do not keep
    /// out those of another.
    private mutating func destinationSharePreemptions() -> [Decision] {
        let busy = Set(running.map(\.request.destination))
        let busyQueues = Set(running.map(\.request.queue))
        let lacking = waiting.filter {
            !busy.contains($0.destination) && busyQueues.contains($0.queue) && isEligible($0)
        }
        return sharePreemptions(Set(lacking.map(\.destination)).count, for: .destinationShare, by: \.destination)
    }

    /// Asks the owner (queue or destination) of most slots to hand over, once for each owner without a slot.
    private mutating func sharePreemptions(
        _ lacking: Int, for reason: Running.Reason, by owner: (SlotRequest) -> String
    ) -> [Decision] {
        var decisions: [Decision] = []
        for _ in 0..<max(0, lacking - askedCount(for: reason)) {
            let working = running.filter { !isHeld($0.request) }
            let counts = Dictionary(grouping: working.filter { $0.askedFor == nil }) { owner($0.request) }
                .mapValues(\.count)
            let candidates = working.filter { $0.mayYield && $0.request.lane != .urgent }
            // Among the owners with most slots, the owner of the youngest slice.
            guard let most = candidates.compactMap({ counts[owner($0.request)] }).max(), most > 1,
                let chosen = candidates.last(where: { counts[owner($0.request)] == most })?.request.id
            else { break }
            decisions += ask(1, for: reason) { $0.request.id == chosen }
        }
        return decisions
    }

    private func askedCount(for reason: Running.Reason?) -> Int {
        running.count { $0.askedFor != nil && (reason == nil || $0.askedFor == reason) }
    }

    /// Asks up to `count` slices to hand over, the youngest first: it has the least to lose.
    private mutating func ask(
        _ count: Int, for reason: Running.Reason, where isWanted: (Running) -> Bool
    ) -> [Decision] {
        var decisions: [Decision] = []
        for index in running.indices.reversed() where decisions.count < count {
            guard running[index].mayYield, isWanted(running[index]) else { continue }
            running[index].askedFor = reason
            decisions.append(.preempt(running[index].request.id))
        }
        return decisions
    }
}
