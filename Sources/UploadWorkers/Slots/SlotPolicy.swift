import Uploads

/// Decides which delivery gets a slot: a pure value.
///
/// A free slot goes to the queue with the fewest running slices, among equals to the queue that was served longest ago, so that many
/// jobs of one queue do not keep the one job of another waiting. Within the queue, lanes are served by stride: each grant moves its lane
/// on by the inverse of its share, and the lane that is furthest behind comes next, `urgent` first among equals. So `urgent`
/// gets most slots and no lane starves. Within the lane, the destination with the fewest running slices comes next.
///
/// A slice that waits for its destination's limit of bytes or requests works little, so it takes no slot from other destinations: such
/// slices are not counted, and few of them run (``DestinationShare``). Jobs that a limit holds up are given back, but for a few, since
/// other jobs wait behind them in the lane.
///
/// A destination without limits may take all slots. One more slot is kept for a destination that has none, so that a slow destination
/// keeps no other out. While the jobs of the slow destination wait for long, the jobs behind them are given back as well, but for a few.
struct SlotPolicy: Sendable {
    enum Decision: Hashable, Sendable {
        case granted(UInt64)
        /// The worker drains and starts nothing more.
        case refused(UInt64)
        /// The destination's limit holds the delivery up, and enough of its kind wait: it goes back to the delay ladder.
        case limited(UInt64)
        /// Ask this running slice to hand over, for a more urgent delivery.
        case preempt(UInt64)
    }

    struct Running: Sendable {
        enum Reason: Hashable, Sendable {
            case urgency, limit, queueShare, destinationShare, loneliness
        }

        var request: SlotRequest
        /// Its share let the slice in although an urgent job or a job that runs alone waited: these do not take the slot back.
        var isEntitled = false
        var askedFor: Reason?

        var mayYield: Bool { request.canYield && askedFor == nil }
    }

    /// The numbers of one destination.
    private struct Count: Hashable, Sendable {
        var running = 0
        var waiting = 0
    }

    /// The delivery with the least rank comes next.
    private struct Rank: Comparable {
        var runningOfQueue: Int
        var queue: Int
        var name: QueueName
        var laneProgress: Int
        var lane: Lane
        var runningOfDestination: Int

        static func < (left: Self, right: Self) -> Bool {
            let lefts = (left.runningOfQueue, left.queue, left.name.rawValue, left.laneProgress, left.lane)
            let rights = (right.runningOfQueue, right.queue, right.name.rawValue, right.laneProgress, right.lane)
            return lefts == rights ? left.runningOfDestination < right.runningOfDestination : lefts < rights
        }
    }

    /// With this many slots or more, one more is kept for a destination that has none.
    private static let slotsMinimumForSpare = 4

    let concurrency: Int
    /// How many of the deliveries that a limit holds up stay in the worker.
    let reserve: Int
    private let crowdPatience: Duration
    /// The time of the latest decision, by a clock that is never set.
    private(set) var now = Duration.zero
    /// The shares of the destinations with a limit of bytes or requests.
    private var shares: [String: DestinationShare] = [:]
    /// Destinations whose limits slices wait for, also without a share, since a limit may be configured later.
    private var waitedFor: Set<String> = []
    private var counts: [String: Count] = [:]
    var running: [Running] = []
    var waiting: [SlotRequest] = []
    /// When each waiting delivery came.
    private var arrivals: [UInt64: Duration] = [:]
    private var queues = Shares<QueueName>()
    /// One entry for each queue that the worker serves.
    private var lanes: [QueueName: Shares<Lane>] = [:]
    /// Slots that were or will be given up for urgent jobs.
    private var owedToUrgent = 0
    var lastRanAlone = false
    private(set) var isDraining = false

    init(concurrency: Int, crowdPatience: Duration = .seconds(5)) {
        self.concurrency = max(1, concurrency)
        self.crowdPatience = crowdPatience
        reserve = max(1, concurrency / 4)
    }

    var runningCount: Int { running.count }
    var waitingCount: Int { waiting.count }

    mutating func request(_ request: SlotRequest) -> [Decision] {
        guard !isDraining else { return [.refused(request.id)] }
        if !waiting.contains(where: { $0.queue == request.queue }) { queues.join(request.queue) }
        if !waiting.contains(where: { $0.queue == request.queue && $0.lane == request.lane }) {
            lanes[request.queue, default: Shares()].join(request.lane)
        }
        if request.isRateLimited, shares[request.destination] == nil {
            var share = DestinationShare(step: reserve, most: concurrency, at: now)
            share.note(isWaiting: waitedFor.contains(request.destination), at: now)
            shares[request.destination] = share
        }
        waiting.append(request)
        arrivals[request.id] = now
        count(request.destination, waiting: 1)
        let decisions = fill()
        guard waiting.last?.id == request.id, mustBeGivenBack(request) else { return decisions }
        _ = leave(waiting.endIndex - 1)
        return decisions + [.limited(request.id)]
    }

    /// Removes a request from the waiting ones.
    private mutating func leave(_ index: Int) -> SlotRequest {
        let request = waiting.remove(at: index)
        arrivals[request.id] = nil
        count(request.destination, waiting: -1)
        return request
    }

    private func mustBeGivenBack(_ request: SlotRequest) -> Bool {
        guard !request.runsAlone else { return false }
        guard isAtLimit(request) else {
            return request.lane != .urgent && crowdsOthersOut(request.destination)
                && (counts[request.destination]?.waiting ?? 0) > reserve
        }
        // Urgent jobs are few at any time, and come before the others.
        if request.lane == .urgent {
            return waiting.count { $0.lane == .urgent && $0.destination == request.destination } > reserve
        }
        let held = waiting.filter { $0.id != request.id && isHeldUp($0) }
        return held.count >= reserve
            || held.count { $0.destination == request.destination } >= max(1, reserve / max(1, limitedCount))
    }

    /// Whether a destination has most of the slots and its jobs wait for long.
    private func crowdsOthersOut(_ destination: String) -> Bool {
        guard runningCount(at: destination) * 2 > concurrency,
            let first = waiting.first(where: { $0.destination == destination && !$0.runsAlone }),
            let arrival = arrivals[first.id]
        else { return false }
        return now - arrival >= crowdPatience
    }

    private func isHeldUp(_ request: SlotRequest) -> Bool { !request.runsAlone && isAtLimit(request) }

    /// Moves the time on: destinations that can bear more may run more, and jobs that have waited for long are given back.
    mutating func advance(to now: Duration) -> [Decision] {
        self.now = now
        let crowded = surplus()
        guard !shares.isEmpty else { return crowded }
        for destination in shares.keys {
            let count = runningCount(at: destination)
            shares[destination]?.grow(beside: count, at: now)
        }
        return crowded + fill()
    }

    /// Gives back the youngest jobs of a destination whose jobs wait for long, but for a few.
    private mutating func surplus() -> [Decision] {
        // Not the first key of the dictionary, whose order is random: every process decides the same for the same requests.
        guard waiting.count > reserve, let destination = counts.keys.filter(crowdsOthersOut).min() else { return [] }
        let surplus = waiting.indices.filter {
            waiting[$0].destination == destination && waiting[$0].lane != .urgent && !waiting[$0].runsAlone
        }
        return surplus.dropFirst(reserve).reversed().map { .limited(leave($0).id) }
    }

    /// Takes note whether a slice waits for the destination's limit of bytes or requests.
    mutating func note(isWaiting: Bool, at destination: String) -> [Decision] {
        if isWaiting { waitedFor.insert(destination) } else { waitedFor.remove(destination) }
        shares[destination]?.note(isWaiting: isWaiting, at: now)
        return fill()
    }

    /// To be called when a slice is settled.
    mutating func release(_ id: UInt64) -> [Decision] {
        if let index = running.firstIndex(where: { $0.request.id == id }) {
            let slice = running.remove(at: index)
            count(slice.request.destination, running: -1)
            if slice.askedFor == .urgency || slice.askedFor == .limit { owedToUrgent += 1 }
            shares[slice.request.destination]?.release(at: now)
            if slice.request.runsAlone { lastRanAlone = true }
        }
        // No more slots are owed than urgent jobs wait.
        owedToUrgent = min(owedToUrgent, waiting.count { $0.lane == .urgent })
        return fill()
    }

    /// To be called when a delivery no longer waits.
    /// - Returns: whether the delivery was waiting; if not, the decision about it came before.
    mutating func withdraw(_ id: UInt64) -> (wasWaiting: Bool, [Decision]) {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return (false, []) }
        _ = leave(index)
        return (true, fill())
    }

    /// Refuses all waiting deliveries, and starts nothing any more.
    mutating func drain() -> [Decision] {
        isDraining = true
        var decisions: [Decision] = []
        while !waiting.isEmpty { decisions.append(.refused(leave(0).id)) }
        return decisions
    }

    /// Whether a waiting delivery is held up by its destination's limit, not by the worker's own, and no running slice makes way for it.
    func isHeldByLimit(_ id: UInt64) -> Bool {
        guard let request = waiting.first(where: { $0.id == id }), isHeldUp(request) else { return false }
        return request.lane != .urgent
            || !running.contains { $0.request.destination == request.destination && $0.askedFor == .limit }
    }

    /// Whether other jobs of the destination wait for the place that one of its slices gives up.
    func isCrowded(_ destination: String) -> Bool {
        waiting.contains { $0.destination == destination && isHeldUp($0) }
    }

    func isAtLimit(_ request: SlotRequest) -> Bool {
        let count = runningCount(at: request.destination)
        if let limit = request.limits.jobs, count >= max(1, limit) { return true }
        guard let share = shares[request.destination] else { return false }
        // Urgent jobs run beside the slices that wait for the limit, up to the reserve.
        if request.lane == .urgent {
            let urgent = running.count { $0.request.destination == request.destination && $0.request.lane == .urgent }
            return share.isHeld(at: now) && urgent >= reserve
        }
        return !share.admits(beside: count, allowance: allowance) || (count == 0 && !hasRoomForHeld)
    }

    /// Slices that wait for a limit fill the lane's prefetch, so their number is limited, however many destinations have limits.
    private var hasRoomForHeld: Bool { running.count { isHeld($0.request) } < max(2, concurrency) }

    /// Destinations with a limit of bytes or requests that have something to do here.
    private var limitedCount: Int { shares.keys.count { counts[$0] != nil } }

    /// How many slices of a destination may run while they wait for its limit: over all destinations half as many as there are slots, since
    /// they all fill the lane's prefetch.
    private var allowance: Int { max(1, min(reserve, concurrency / 2 / max(1, limitedCount))) }

    private func runningCount(at destination: String) -> Int { counts[destination]?.running ?? 0 }

    /// Adds to the numbers of the destination's running and waiting jobs.
    private mutating func count(_ destination: String, running: Int = 0, waiting: Int = 0) {
        var count = counts[destination] ?? Count()
        count.running += running
        count.waiting += waiting
        counts[destination] = count == Count() ? nil : count
    }

    /// Whether the destination's limit holds up its slices, so that they need no slot.
    func isHeld(_ request: SlotRequest) -> Bool { shares[request.destination]?.isHeld(at: now) ?? false }

    /// The slots that a destination without a running slice may draw from.
    private var slotsForOthers: Int { concurrency < Self.slotsMinimumForSpare ? concurrency : concurrency + 1 }

    /// Slots in use.
    var occupied: Int { running.count { !isHeld($0.request) } }

    /// - Parameter occupied: the slots in use.
    private func hasRoom(for request: SlotRequest, beside occupied: Int) -> Bool {
        let isFirst = runningCount(at: request.destination) == 0
        guard isHeld(request) else { return occupied < (isFirst ? slotsForOthers : concurrency) }
        if isFirst || request.lane == .urgent { return true }
        return running.count { isHeld($0.request) } < max(1, concurrency * 3 / 4)
    }

    /// The numbers of a destination's running and waiting jobs in this worker.
    func occupancy(at destination: String) -> (running: Int, waiting: Int) {
        (runningCount(at: destination), counts[destination]?.waiting ?? 0)
    }

    private mutating func fill() -> [Decision] {
        guard !isDraining else { return [] }
        var decisions: [Decision] = []
        while let index = next() {
            let request = leave(index)
            count(request.destination, running: 1)
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
        // A job that has to run alone is let in as soon as the worker is empty, and holds up the other jobs until then. After it come
        // the jobs that it held up, so that many such jobs do not keep them out.
        if let alone = waiting.firstIndex(where: \.runsAlone), !lastRanAlone || waiting.allSatisfy(\.runsAlone) {
            return running.isEmpty ? alone : nil
        }
        guard !waiting.isEmpty else { return nil }
        let occupied = occupied
        let isUrgentOwed =
            owedToUrgent > 0
            && waiting.contains { $0.lane == .urgent && isEligible($0) && hasRoom(for: $0, beside: occupied) }
        var best: (index: Int, rank: Rank)?
        for (index, request) in waiting.enumerated()
        where isEligible(request) && hasRoom(for: request, beside: occupied) {
            if isUrgentOwed, request.lane != .urgent { continue }
            let rank = rank(of: request)
            if let best, best.rank <= rank { continue }
            best = (index, rank)
        }
        return best?.index
    }

    func isEligible(_ request: SlotRequest) -> Bool { !request.runsAlone && !isAtLimit(request) }

    private func rank(of request: SlotRequest) -> Rank {
        Rank(
            runningOfQueue: runningCount(of: request.queue), queue: queues.progress(of: request.queue),
            name: request.queue, laneProgress: lanes[request.queue]?.progress(of: request.lane) ?? 0,
            lane: request.lane, runningOfDestination: runningCount(at: request.destination))
    }

    private func runningCount(of queue: QueueName) -> Int {
        running.count { $0.request.queue == queue && !isHeld($0.request) }
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
