import Uploads

/// Decides who gets a slot: a pure value.
///
/// A free slot goes to the queue that runs least, among equals to the one that was served longest ago, so that many jobs of
/// one queue do not keep the one job of another waiting. Within the queue lanes are served by stride: each grant moves its lane
/// on by the inverse of its share, and the lane that is furthest behind comes next, `urgent` first among equals. So `urgent`
/// gets most and none starves.
struct SlotPolicy: Sendable {
    enum Decision: Hashable, Sendable {
        case granted(UInt64)
        /// The worker is on its way out.
        case refused(UInt64)
        /// Ask this running slice to hand over, for something more urgent.
        case preempt(UInt64)
    }

    private struct Running: Sendable {
        enum Reason: Hashable, Sendable {
            case urgency, share, loneliness
        }

        var request: SlotRequest
        /// Let in by its share although something urgent waited, or something that runs alone: they do not take it back.
        var isEntitled = false
        var askedFor: Reason?

        var mayYield: Bool { request.canYield && askedFor == nil }
    }

    /// The least comes next.
    private struct Rank: Comparable {
        var runningOfQueue: Int
        var queue: Int
        var name: QueueName
        var laneProgress: Int
        var lane: Lane

        static func < (left: Self, right: Self) -> Bool {
            (left.runningOfQueue, left.queue, left.name.rawValue, left.laneProgress, left.lane)
                < (right.runningOfQueue, right.queue, right.name.rawValue, right.laneProgress, right.lane)
        }
    }

    let concurrency: Int
    private var running: [Running] = []
    private var waiting: [SlotRequest] = []
    private var queues = Shares<QueueName>()
    /// As many as the worker serves.
    private var lanes: [QueueName: Shares<Lane>] = [:]
    /// Slots that were or will be given up for something urgent.
    private var owedToUrgent = 0
    private var lastRanAlone = false
    private(set) var isDraining = false

    init(concurrency: Int) { self.concurrency = max(1, concurrency) }

    var runningCount: Int { running.count }
    var waitingCount: Int { waiting.count }

    mutating func request(_ request: SlotRequest) -> [Decision] {
        guard !isDraining else { return [.refused(request.id)] }
        if !waiting.contains(where: { $0.queue == request.queue }) { queues.join(request.queue) }
        if !waiting.contains(where: { $0.queue == request.queue && $0.lane == request.lane }) {
            lanes[request.queue, default: Shares()].join(request.lane)
        }
        waiting.append(request)
        return fill()
    }

    /// A slice is settled.
    mutating func release(_ id: UInt64) -> [Decision] {
        if let index = running.firstIndex(where: { $0.request.id == id }) {
            let slice = running.remove(at: index)
            if slice.askedFor == .urgency { owedToUrgent += 1 }
            if slice.request.runsAlone { lastRanAlone = true }
        }
        // Nobody is owed what nobody wants any more.
        owedToUrgent = min(owedToUrgent, waiting.count { $0.lane == .urgent })
        return fill()
    }

    /// A delivery no longer waits.
    /// - Returns: whether it did; if not, it was decided before.
    mutating func withdraw(_ id: UInt64) -> (wasWaiting: Bool, [Decision]) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return (false, []) }
        waiting.remove(at: index)
        return (true, fill())
    }

    /// Nothing is started any more.
    mutating func drain() -> [Decision] {
        isDraining = true
        defer { waiting = [] }
        return waiting.map { .refused($0.id) }
    }

    /// Whether a waiting delivery is held up by its destination's limit, not by the worker's own.
    func isHeldByLimit(_ id: UInt64) -> Bool {
        guard let request = waiting.first(where: { $0.id == id }) else { return false }
        return isAtLimit(request)
    }

    private func isAtLimit(_ request: SlotRequest) -> Bool {
        guard let limit = request.jobLimit else { return false }
        return running.count { $0.request.destination == request.destination } >= max(1, limit)
    }

    private mutating func fill() -> [Decision] {
        guard !isDraining else { return [] }
        var decisions: [Decision] = []
        while let index = next() {
            let request = waiting.remove(at: index)
            let hasPassed = waiting.contains {
                $0.runsAlone || ($0.lane == .urgent && request.lane != .urgent && !isAtLimit($0))
            }
            queues.serve(request.queue, stride: 1)
            lanes[request.queue, default: Shares()].serve(request.lane, stride: Self.stride(of: request.lane))
            if request.lane == .urgent { owedToUrgent = max(0, owedToUrgent - 1) }
            running.append(Running(request: request, isEntitled: hasPassed))
            decisions.append(.granted(request.id))
        }
        if running.contains(where: { !$0.request.runsAlone }) { lastRanAlone = false }
        return decisions + preemptions()
    }

    private func next() -> Int? {
        if running.contains(where: \.request.runsAlone) { return nil }
        guard running.count < concurrency else { return nil }
        // A job that has to run alone is let in as soon as the worker is empty, and holds up the others until then. After it come
        // those that it held up: many of its kind must not keep them out either.
        if let alone = waiting.firstIndex(where: \.runsAlone), !lastRanAlone || waiting.allSatisfy(\.runsAlone) {
            return running.isEmpty ? alone : nil
        }
        let isUrgentOwed = owedToUrgent > 0 && waiting.contains { $0.lane == .urgent && isEligible($0) }
        var best: (index: Int, rank: Rank)?
        for (index, request) in waiting.enumerated() where isEligible(request) {
            if isUrgentOwed, request.lane != .urgent { continue }
            let rank = rank(of: request)
            if let best, best.rank <= rank { continue }
            best = (index, rank)
        }
        return best?.index
    }

    private func isEligible(_ request: SlotRequest) -> Bool { !request.runsAlone && !isAtLimit(request) }

    private func rank(of request: SlotRequest) -> Rank {
        Rank(
            runningOfQueue: runningCount(of: request.queue), queue: queues.progress(of: request.queue),
            name: request.queue, laneProgress: lanes[request.queue]?.progress(of: request.lane) ?? 0,
            lane: request.lane)
    }

    private func runningCount(of queue: QueueName) -> Int { running.count { $0.request.queue == queue } }

    private mutating func preemptions() -> [Decision] {
        if waiting.contains(where: \.runsAlone), !lastRanAlone {
            return ask(running.count - askedCount(for: nil), for: .loneliness) { !$0.isEntitled }
        }
        guard running.count >= concurrency else { return [] }
        let urgent = waiting.count { $0.lane == .urgent && isEligible($0) }
        let decisions = ask(urgent - askedCount(for: .urgency), for: .urgency) {
            $0.request.lane != .urgent && !$0.isEntitled
        }
        return decisions + sharePreemptions()
    }

    /// A queue that has something to do and no slot gets one from the queue that has most.
    private mutating func sharePreemptions() -> [Decision] {
        let busy = Set(running.map(\.request.queue))
        var waitingQueues: Set<QueueName> = []
        for request in waiting where !busy.contains(request.queue) && isEligible(request) {
            waitingQueues.insert(request.queue)
        }
        let missing = waitingQueues.count - askedCount(for: .share)
        var decisions: [Decision] = []
        for _ in 0..<max(0, missing) {
            let counts = Dictionary(grouping: running.filter { $0.askedFor == nil }, by: \.request.queue).mapValues(
                \.count)
            let candidates = running.filter { $0.mayYield && $0.request.lane != .urgent }
            // Of those with most, whose slice is the youngest.
            guard let most = candidates.compactMap({ counts[$0.request.queue] }).max(), most > 1,
                let queue = candidates.last(where: { counts[$0.request.queue] == most })?.request.queue
            else { break }
            decisions += ask(1, for: .share) { $0.request.queue == queue && $0.request.lane != .urgent }
        }
        return decisions
    }

    private func askedCount(for reason: Running.Reason?) -> Int {
        running.count { $0.askedFor != nil && (reason == nil || $0.askedFor == reason) }
    }

    /// Asks so many to hand over, the youngest first: it has the least to lose.
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

    /// The inverse of a lane's share: of 15 slots 8 are urgent, 4 continued, 2 normal, 1 bulk.
    private static func stride(of lane: Lane) -> Int {
        switch lane {
        case .urgent: 1
        case .continued: 2
        case .normal: 4
        case .bulk: 8
        }
    }
}
