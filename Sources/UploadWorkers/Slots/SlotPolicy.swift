import Uploads

/// Decides which delivery gets a slot: a pure value.
///
/// A free slot goes to the queue with the fewest running slices, among equals to the queue that was served longest ago, so that many
/// jobs of one queue do not keep the one job of another waiting. Within the queue, lanes are served by stride: each grant moves its lane
/// on by the inverse of its share, and the lane that is furthest behind comes next, `urgent` first among equals. So `urgent`
/// gets most slots and no lane starves. Within the lane, the destination with the fewest running slices comes next.
///
/// Three bounds hold at once. No more jobs run than there are slots; no more jobs run at one destination than it takes at once
/// (``ConcurrencyFinder``); and the running jobs have no more bytes in memory than ``bytesMaximum``.
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

    typealias Kind = SlotRequest.Kind

    /// The kind with the least rank comes next.
    private struct Rank: Comparable {
        var runningOfQueue: Int
        var queue: Int
        var name: QueueName
        var laneProgress: Int
        var lane: Lane
        var runningOfDestination: Int
        /// Among equals, the delivery that came first.
        var number: UInt64

        static func < (left: Self, right: Self) -> Bool {
            let lefts = (left.runningOfQueue, left.queue, left.name.rawValue, left.laneProgress, left.lane)
            let rights = (right.runningOfQueue, right.queue, right.name.rawValue, right.laneProgress, right.lane)
            guard lefts == rights else { return lefts < rights }
            return (left.runningOfDestination, left.number) < (right.runningOfDestination, right.number)
        }
    }

    /// The slots in use, and the bytes that their jobs may have in memory.
    private struct Occupancy {
        var slots = 0
        var bytes: Int64 = 0
    }

    /// With this many slots or more, one more is kept for a destination that has none.
    private static let slotsMinimumForSpare = 4

    /// Bytes of memory for the running jobs: for 16 large ones with four parts each. Each destination may exceed it with one job.
    static let bytesMaximum: Int64 = 64 << 20

    let concurrency: Int
    private let crowdPatience: Duration
    /// The time of the latest decision, by a clock that is never set.
    private(set) var now = Duration.zero
    private var destinations: [String: DestinationSlots] = [:]
    var running = RunningRequests()
    private(set) var waiting = WaitingRequests()
    private var queues = Shares<QueueName>()
    /// One entry for each queue that the worker serves.
    private var lanes: [QueueName: Shares<Lane>] = [:]
    /// Slots that were or will be given up for urgent jobs.
    private var owedToUrgent = 0
    private(set) var lastRanAlone = false
    private(set) var isDraining = false

    init(concurrency: Int, crowdPatience: Duration = .seconds(5)) {
        self.concurrency = max(1, concurrency)
        self.crowdPatience = crowdPatience
    }

    var runningCount: Int { running.count }
    var waitingCount: Int { waiting.count }

    /// How many jobs the worker can have under way as things are: as many as its destinations take at once, and no more than its slots.
    var width: Int {
        let sum = destinations.values.reduce(0) { $1.isActive ? $0 + min($1.finder.width, concurrency) : $0 }
        return min(concurrency, max(ConcurrencyFinder.begin, sum))
    }

    /// How many of the deliveries that a limit holds up stay in the worker.
    var reserve: Int { max(1, width / 4) }

    mutating func request(_ request: SlotRequest) -> [Decision] {
        guard !isDraining else { return [.refused(request.id)] }
        if !waiting.contains(where: { $0.queue == request.queue }) { queues.join(request.queue) }
        if !waiting.contains(where: { $0.queue == request.queue && $0.lane == request.lane }) {
            lanes[request.queue, default: Shares()].join(request.lane)
        }
        note(request)
        waiting.append(request, at: now)
        let decisions = fill()
        guard waiting[request.id] != nil, mustBeGivenBack(request) else { return decisions }
        leave(request.id)
        return decisions + [.limited(request.id)]
    }

    /// Takes note of a delivery that will wait.
    private mutating func note(_ request: SlotRequest) {
        let step = reserve
        change(request.destination) { [now, concurrency] destination in
            destination.limits = request.limits
            destination.waiting += 1
            guard request.isRateLimited, destination.share == nil else { return }
            var share = DestinationShare(step: step, most: concurrency, at: now)
            share.note(isWaiting: destination.isWaitedFor, at: now)
            destination.share = share
        }
    }

    private mutating func change(_ name: String, _ body: (inout DestinationSlots) -> Void) {
        body(&destinations[name, default: DestinationSlots(most: concurrency)])
    }

    /// Removes a delivery from the waiting ones.
    @discardableResult
    private mutating func leave(_ id: UInt64) -> SlotRequest? {
        guard let request = waiting.remove(id) else { return nil }
        change(request.destination) { $0.waiting -= 1 }
        return request
    }

    private func mustBeGivenBack(_ request: SlotRequest) -> Bool {
        guard !request.runsAlone else { return false }
        guard isAtLimit(request.kind) else {
            return request.lane != .urgent && crowdsOthersOut(request.destination)
                && (destinations[request.destination]?.waiting ?? 0) > reserve
        }
        // Urgent jobs are few at any time, and come before the others.
        if request.lane == .urgent {
            return waiting.count { $0.lane == .urgent && $0.destination == request.destination } > reserve
        }
        // The delivery itself is one of them.
        let held = waiting.count(where: isHeldUp) - 1
        let heldThere = waiting.count { $0.destination == request.destination && isHeldUp($0) } - 1
        return held >= reserve || heldThere >= max(1, reserve / max(1, limitedCount))
    }

    /// Whether a destination has most of the slots, or as many jobs as it takes at once, and its other jobs wait for long.
    private func crowdsOthersOut(_ destination: String) -> Bool {
        guard let slots = destinations[destination], slots.running * 2 > width || slots.isFull(for: .normal),
            let first = waiting.first(where: { $0.destination == destination && !$0.runsAlone })
        else { return false }
        return now - first.arrivedAt >= crowdPatience
    }

    private func isHeldUp(_ kind: Kind) -> Bool { !kind.runsAlone && isAtLimit(kind) }

    /// Moves the time on: destinations that can bear more may run more, and jobs that have waited for long are given back.
    mutating func advance(to now: Duration) -> [Decision] {
        self.now = now
        let crowded = surplus()
        var hasShares = false
        for (name, destination) in destinations where destination.share != nil {
            hasShares = true
            destinations[name]?.share?.grow(beside: destination.running, at: now)
        }
        return hasShares ? crowded + fill() : crowded
    }

    /// Gives back the youngest jobs of a destination whose jobs wait for long, but for a few.
    private mutating func surplus() -> [Decision] {
        let reserve = reserve
        // Not the first key of the dictionary, whose order is random: every process decides the same for the same requests.
        guard waiting.count > reserve, let destination = destinations.keys.filter(crowdsOthersOut).min() else {
            return []
        }
        let surplus = waiting.all { $0.destination == destination && $0.lane != .urgent && !$0.runsAlone }
        return surplus.dropFirst(reserve).reversed().map { request in
            leave(request.id)
            return .limited(request.id)
        }
    }

    /// Takes note whether a slice waits for the destination's limit of bytes or requests.
    mutating func note(isWaiting: Bool, at destination: String) -> [Decision] {
        change(destination) { [now] destination in
            destination.isWaitedFor = isWaiting
            destination.share?.note(isWaiting: isWaiting, at: now)
        }
        return fill()
    }

    /// Takes note that the destination refused a request for the number of requests, or did not answer.
    mutating func noteOverload(at destination: String) {
        change(destination) { [now] in $0.finder.noteOverload(at: now) }
    }

    /// To be called when a slice is settled.
    /// - Parameter work: what the slice has done, in units that are the same for all jobs.
    mutating func release(_ id: UInt64, work: Double = 0) -> [Decision] {
        if let slice = running.end(id) {
            if slice.askedFor == .urgency || slice.askedFor == .limit { owedToUrgent += 1 }
            if slice.request.runsAlone { lastRanAlone = true }
            change(slice.request.destination) { [now] destination in
                destination.finder.end(
                    work: work, duration: now - slice.beganAt, beside: destination.running, at: now)
                destination.running -= 1
                destination.bytes -= slice.request.bytesInMemory
                if slice.request.lane == .urgent { destination.runningUrgent -= 1 }
                destination.share?.release(at: now)
            }
        }
        // No more slots are owed than urgent jobs wait.
        owedToUrgent = min(owedToUrgent, waiting.count { $0.lane == .urgent })
        return fill()
    }

    /// To be called when a delivery no longer waits.
    /// - Returns: whether the delivery was waiting; if not, the decision about it came before.
    mutating func withdraw(_ id: UInt64) -> (wasWaiting: Bool, [Decision]) {
        guard leave(id) != nil else { return (false, []) }
        return (true, fill())
    }

    /// Refuses all waiting deliveries, and starts nothing any more.
    mutating func drain() -> [Decision] {
        isDraining = true
        return waiting.all { _ in true }.map { request in
            leave(request.id)
            return .refused(request.id)
        }
    }

    /// Whether a waiting delivery is held up by its destination's limit, not by the worker's own, and no running slice makes way for it.
    func isHeldByLimit(_ id: UInt64) -> Bool {
        guard let request = waiting[id], isHeldUp(request.kind) else { return false }
        return request.lane != .urgent || running.askedCount(for: .limit, at: request.destination) == 0
    }

    /// Whether other jobs of the destination wait for the place that one of its slices gives up.
    func isCrowded(_ destination: String) -> Bool {
        waiting.contains { $0.destination == destination && isHeldUp($0) }
    }

    /// Whether the destination's configured limits hold up deliveries of this kind.
    func isAtLimit(_ kind: Kind) -> Bool {
        guard let destination = destinations[kind.destination] else { return false }
        if let limit = destination.limits.jobs, destination.running >= max(1, limit) { return true }
        guard let share = destination.share else { return false }
        // Urgent jobs run beside the slices that wait for the limit, up to the reserve.
        if kind.lane == .urgent { return share.isHeld(at: now) && destination.runningUrgent >= reserve }
        return !share.admits(beside: destination.running, allowance: allowance)
            || (destination.running == 0 && !hasRoomForHeld)
    }

    /// Whether as many jobs run at the destination as it takes at once.
    func isFull(_ kind: Kind) -> Bool { destinations[kind.destination]?.isFull(for: kind.lane) ?? false }

    /// How many jobs the destination takes at once from this worker; nil for one that had none.
    func width(at destination: String) -> Int? { destinations[destination]?.finder.width }

    /// Slices that wait for a limit fill the lane's prefetch, so their number is limited, however many destinations have limits.
    private var hasRoomForHeld: Bool { heldCount < max(2, width) }

    private var heldCount: Int { destinations.values.reduce(0) { $1.isHeld(at: now) ? $0 + $1.running : $0 } }

    var heldDestinations: Set<String> { Set(destinations.filter { $0.value.isHeld(at: now) }.keys) }

    /// Destinations with a limit of bytes or requests that have something to do here.
    private var limitedCount: Int { destinations.values.count { $0.share != nil && $0.isActive } }

    /// How many slices of a destination may run while they wait for its limit: over all destinations half as many as there are slots, since
    /// they all fill the lane's prefetch.
    private var allowance: Int { max(1, min(reserve, width / 2 / max(1, limitedCount))) }

    private func runningCount(at destination: String) -> Int { destinations[destination]?.running ?? 0 }

    /// Whether the destination's limit holds up its slices, so that they need no slot.
    func isHeld(_ destination: String) -> Bool { destinations[destination]?.isHeld(at: now) ?? false }

    /// The slots that a destination without a running slice may draw from.
    private var slotsForOthers: Int { concurrency < Self.slotsMinimumForSpare ? concurrency : concurrency + 1 }

    private var occupancy: Occupancy {
        destinations.values.reduce(into: Occupancy()) { sum, destination in
            guard !destination.isHeld(at: now) else { return }
            sum.slots += destination.running
            sum.bytes += destination.bytes
        }
    }

    /// Whether the delivery of this kind that comes first fits beside the slots in use.
    private func hasRoom(for first: SlotRequest, beside occupied: Occupancy) -> Bool {
        let isFirst = runningCount(at: first.destination) == 0
        guard isHeld(first.destination) else {
            guard occupied.slots < (isFirst ? slotsForOthers : concurrency) else { return false }
            return isFirst || occupied.bytes + first.bytesInMemory <= Self.bytesMaximum
        }
        if isFirst || first.lane == .urgent { return true }
        return heldCount < max(1, width * 3 / 4)
    }

    /// The numbers of a destination's running and waiting jobs in this worker.
    func occupancy(at destination: String) -> (running: Int, waiting: Int) {
        (runningCount(at: destination), destinations[destination]?.waiting ?? 0)
    }

    private mutating func fill() -> [Decision] {
        guard !isDraining else { return [] }
        var decisions: [Decision] = []
        while let id = next(), let request = leave(id) {
            change(request.destination) { destination in
                destination.running += 1
                destination.bytes += request.bytesInMemory
                if request.lane == .urgent { destination.runningUrgent += 1 }
            }
            let hasPassed = waiting.contains {
                $0.runsAlone || ($0.lane == .urgent && request.lane != .urgent && !isAtLimit($0))
            }
            queues.serve(request.queue, stride: 1)
            lanes[request.queue, default: Shares()].serve(request.lane, stride: Self.stride(of: request.lane))
            if request.lane == .urgent { owedToUrgent = max(0, owedToUrgent - 1) }
            running.begin(request, isEntitled: hasPassed, at: now)
            decisions.append(.granted(request.id))
        }
        if running.contains(where: { !$0.runsAlone }) { lastRanAlone = false }
        return decisions + preemptions()
    }

    private func next() -> UInt64? {
        guard !waiting.isEmpty, !running.contains(where: \.runsAlone) else { return nil }
        // A job that has to run alone is let in as soon as the worker is empty, and holds up the other jobs until then. After it come
        // the jobs that it held up, so that many such jobs do not keep them out.
        if let alone = waiting.first(where: \.runsAlone), !lastRanAlone || !waiting.contains(where: { !$0.runsAlone }) {
            return running.isEmpty ? alone.request.id : nil
        }
        let occupied = occupancy
        let candidates = waiting.counts.keys.compactMap { kind -> WaitingRequests.Entry? in
            guard isAllowed(kind), !isFull(kind), let first = waiting.first(of: kind) else { return nil }
            return hasRoom(for: first.request, beside: occupied) ? first : nil
        }
        let isUrgentOwed = owedToUrgent > 0 && candidates.contains { $0.request.lane == .urgent }
        let eligible = isUrgentOwed ? candidates.filter { $0.request.lane == .urgent } : candidates
        guard eligible.count > 1 else { return eligible.first?.request.id }
        return eligible.map { (rank(of: $0), $0.request.id) }.min { $0.0 < $1.0 }?.1
    }

    /// Whether no configured limit keeps deliveries of this kind from running beside others.
    func isAllowed(_ kind: Kind) -> Bool { !kind.runsAlone && !isAtLimit(kind) }

    private func rank(of entry: WaitingRequests.Entry) -> Rank {
        let request = entry.request
        return Rank(
            runningOfQueue: running.count { $0.queue == request.queue && !isHeld($0.destination) },
            queue: queues.progress(of: request.queue), name: request.queue,
            laneProgress: lanes[request.queue]?.progress(of: request.lane) ?? 0, lane: request.lane,
            runningOfDestination: runningCount(at: request.destination), number: entry.number)
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
