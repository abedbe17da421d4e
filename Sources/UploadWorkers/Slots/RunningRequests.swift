import Uploads

/// A slice that has a slot.
struct RunningRequest: Sendable {
    /// Why it is asked to hand over.
    enum Reason: Hashable, Sendable {
        case urgency, limit, queueShare, destinationShare, loneliness
    }

    let request: SlotRequest
    /// Counts the slices in the order in which they began.
    let number: UInt64
    let beganAt: Duration
    /// Its share let the slice in although an urgent job or a job that runs alone waited: these do not take the slot back.
    var isEntitled: Bool
    var askedFor: Reason?

    var mayYield: Bool { request.canYield && askedFor == nil }
}

/// The slices that have slots, counted by kind.
struct RunningRequests: Sendable {
    private var slices: [UInt64: RunningRequest] = [:]
    private var nextNumber: UInt64 = 0
    /// How many run of each kind; a kind of which none runs is not listed.
    private(set) var counts: [SlotRequest.Kind: Int] = [:]
    /// How many were asked to hand over and have not ended.
    private var asked: [RunningRequest.Reason: Int] = [:]

    var count: Int { slices.count }
    var isEmpty: Bool { slices.isEmpty }
    var askedCount: Int { asked.values.reduce(0, +) }

    func askedCount(for reason: RunningRequest.Reason) -> Int { asked[reason] ?? 0 }

    func askedCount(for reason: RunningRequest.Reason, at destination: String) -> Int {
        guard askedCount(for: reason) > 0 else { return 0 }
        return slices.values.count { $0.askedFor == reason && $0.request.destination == destination }
    }

    func count(where isWanted: (SlotRequest.Kind) -> Bool) -> Int {
        counts.reduce(0) { isWanted($1.key) ? $0 + $1.value : $0 }
    }

    func contains(where isWanted: (SlotRequest.Kind) -> Bool) -> Bool { counts.keys.contains(where: isWanted) }

    /// All slices, the youngest first. For the rare decisions about single slices.
    var youngestFirst: [RunningRequest] { slices.values.sorted { $0.number > $1.number } }

    mutating func begin(_ request: SlotRequest, isEntitled: Bool, at now: Duration) {
        nextNumber += 1
        slices[request.id] = RunningRequest(
            request: request, number: nextNumber, beganAt: now, isEntitled: isEntitled)
        counts[request.kind, default: 0] += 1
    }

    mutating func end(_ id: UInt64) -> RunningRequest? {
        guard let slice = slices.removeValue(forKey: id) else { return nil }
        let left = (counts[slice.request.kind] ?? 1) - 1
        counts[slice.request.kind] = left > 0 ? left : nil
        if let reason = slice.askedFor { asked[reason, default: 1] -= 1 }
        return slice
    }

    mutating func ask(_ id: UInt64, for reason: RunningRequest.Reason) {
        slices[id]?.askedFor = reason
        asked[reason, default: 0] += 1
    }
}
