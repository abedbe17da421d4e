import Uploads

/// Decides who gets a slot: a pure value.
///
/// Lanes are served by stride: each grant moves its lane on by the inverse of its share, and the lane that is furthest behind
/// comes next, `urgent` first among equals. So `urgent` gets most and none starves.
struct SlotPolicy: Sendable {
    enum Decision: Hashable, Sendable {
        case granted(UInt64)
        /// The worker is on its way out.
        case refused(UInt64)
        /// Ask this running slice to hand over, for something more urgent.
        case preempt(UInt64)
    }

    private struct Running: Sendable {
        var request: SlotRequest
        var isAskedToYield = false
    }

    let concurrency: Int
    private var running: [Running] = []
    private var waiting: [SlotRequest] = []
    private var progress: [Lane: Int] = [:]
    /// How far the lane that was served last has come: one that was empty does not catch up on what it missed.
    private var pace = 0
    private(set) var isDraining = false

    init(concurrency: Int) { self.concurrency = max(1, concurrency) }

    var runningCount: Int { running.count }
    var waitingCount: Int { waiting.count }

    mutating func request(_ request: SlotRequest) -> [Decision] {
        guard !isDraining else { return [.refused(request.id)] }
        if !waiting.contains(where: { $0.lane == request.lane }) {
            progress[request.lane] = max(progress[request.lane] ?? 0, pace)
        }
        waiting.append(request)
        return fill()
    }

    /// A slice is settled.
    mutating func release(_ id: UInt64) -> [Decision] {
        running.removeAll { $0.request.id == id }
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
            pace = max(pace, progress[request.lane] ?? 0)
            progress[request.lane, default: 0] += Self.stride(of: request.lane)
            running.append(Running(request: request))
            decisions.append(.granted(request.id))
        }
        return decisions + preemptions()
    }

    private func next() -> Int? {
        if running.contains(where: \.request.runsAlone) { return nil }
        // A job that has to run alone is let in as soon as the worker is empty, and holds up the others until then.
        if let alone = waiting.firstIndex(where: \.runsAlone) { return running.isEmpty ? alone : nil }
        guard running.count < concurrency else { return nil }
        var best: Int?
        for (index, request) in waiting.enumerated() where !isAtLimit(request) {
            guard let other = best else {
                best = index
                continue
            }
            let lane = waiting[other].lane
            if (progress[request.lane] ?? 0, request.lane) < (progress[lane] ?? 0, lane) { best = index }
        }
        return best
    }

    private mutating func preemptions() -> [Decision] {
        let alone = waiting.contains(where: \.runsAlone)
        let wanted = alone ? running.count : waiting.count { $0.lane == .urgent && !isAtLimit($0) }
        guard alone || running.count >= concurrency else { return [] }
        var missing = wanted - running.count(where: \.isAskedToYield)
        var decisions: [Decision] = []
        // The youngest first: it has the least to lose.
        for index in running.indices.reversed() where missing > 0 {
            let slice = running[index]
            guard slice.request.canYield, !slice.isAskedToYield, alone || slice.request.lane != .urgent else {
                continue
            }
            running[index].isAskedToYield = true
            missing -= 1
            decisions.append(.preempt(slice.request.id))
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
