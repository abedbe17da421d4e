import Uploads

/// Decides which running slices make way for waiting deliveries.
extension SlotPolicy {
    /// Asks slices to hand over for the waiting deliveries. What waits now has found no room: neither a slot nor memory, or its destination
    /// takes no more at once.
    mutating func preemptions() -> [Decision] {
        guard !waiting.isEmpty else { return [] }
        if waiting.contains(where: \.runsAlone), !lastRanAlone {
            return ask(running.count - running.askedCount, for: .loneliness) { !$0.isEntitled }
        }
        let decisions = preemptionsAtLimits()
        guard !running.contains(where: \.runsAlone) || running.count >= concurrency else { return decisions }
        return decisions + urgentPreemptions() + queueSharePreemptions() + destinationSharePreemptions()
    }

    /// For urgent deliveries for which only a slice of their own destination can make way, because of a configured limit.
    private mutating func preemptionsAtLimits() -> [Decision] {
        let blocked = waiting.sums(by: \.destination) { $0.lane == .urgent && !$0.runsAlone && isAtLimit($0) }
        return blocked.flatMap { destination, count in
            ask(count - running.askedCount(for: .limit, at: destination), for: .limit) {
                $0.request.destination == destination && $0.request.lane != .urgent && !$0.isEntitled
            }
        }
    }

    private mutating func urgentPreemptions() -> [Decision] {
        let full = waiting.sums(by: \.destination) {
            $0.lane == .urgent && isAllowed($0) && !isHeld($0.destination) && isFull($0)
        }
        var decisions = full.flatMap { destination, count in
            ask(count - running.askedCount(for: .urgency, at: destination), for: .urgency) {
                $0.request.destination == destination && $0.request.lane != .urgent && !$0.isEntitled
            }
        }
        let others = waiting.count {
            $0.lane == .urgent && isAllowed($0) && !isHeld($0.destination) && !isFull($0)
        }
        guard others > 0 else { return decisions }
        let asked =
            running.askedCount(for: .urgency)
            - full.reduce(0) { $0 + running.askedCount(for: .urgency, at: $1.key) }
        let held = heldDestinations
        decisions += ask(others - asked, for: .urgency) {
            $0.request.lane != .urgent && !$0.isEntitled && !held.contains($0.request.destination)
        }
        return decisions
    }

    /// A queue that has jobs but no slot gets a slot from the queue that has most slots.
    private mutating func queueSharePreemptions() -> [Decision] {
        let busy = Set(running.counts.keys.map(\.queue))
        let lacking = waiting.counts.keys.filter { !busy.contains($0.queue) && isAllowed($0) }
        guard !lacking.isEmpty else { return [] }
        // Where every destination of these jobs takes no more at once, only a slice of one of them makes room.
        let full = lacking.allSatisfy(isFull) ? Set(lacking.map(\.destination)) : nil
        return sharePreemptions(Set(lacking.map(\.queue)).count, for: .queueShare, by: \.queue.rawValue) {
            full?.contains($0.destination) ?? true
        }
    }

    /// A destination that has jobs but no slot gets a slot from the destination that has most: many jobs of a slow destination do not keep
    /// out those of another.
    private mutating func destinationSharePreemptions() -> [Decision] {
        let busy = Set(running.counts.keys.map(\.destination))
        let busyQueues = Set(running.counts.keys.map(\.queue))
        let lacking = waiting.counts.keys.filter {
            !busy.contains($0.destination) && busyQueues.contains($0.queue) && isAllowed($0)
        }
        return sharePreemptions(Set(lacking.map(\.destination)).count, for: .destinationShare, by: \.destination) { _ in
            true
        }
    }

    /// Asks the owner (queue or destination) of most slots to hand over, once for each owner without a slot.
    private mutating func sharePreemptions(
        _ lacking: Int, for reason: RunningRequest.Reason, by owner: (SlotRequest) -> String,
        among isCandidate: (SlotRequest) -> Bool
    ) -> [Decision] {
        var decisions: [Decision] = []
        for _ in 0..<max(0, lacking - running.askedCount(for: reason)) {
            let held = heldDestinations
            let working = running.youngestFirst.filter { !held.contains($0.request.destination) }
            let counts = Dictionary(grouping: working.filter { $0.askedFor == nil }) { owner($0.request) }
                .mapValues(\.count)
            let candidates = working.filter { $0.mayYield && $0.request.lane != .urgent && isCandidate($0.request) }
            // Among the owners with most slots, the owner of the youngest slice.
            guard let most = candidates.compactMap({ counts[owner($0.request)] }).max(), most > 1,
                let chosen = candidates.first(where: { counts[owner($0.request)] == most })?.request.id
            else { break }
            decisions += ask(1, for: reason) { $0.request.id == chosen }
        }
        return decisions
    }

    /// Asks up to `count` slices to hand over, the youngest first: it has the least to lose.
    private mutating func ask(
        _ count: Int, for reason: RunningRequest.Reason, where isWanted: (RunningRequest) -> Bool
    ) -> [Decision] {
        guard count > 0 else { return [] }
        return running.youngestFirst.filter { $0.mayYield && isWanted($0) }.prefix(count).map { slice in
            running.ask(slice.request.id, for: reason)
            return .preempt(slice.request.id)
        }
    }
}
