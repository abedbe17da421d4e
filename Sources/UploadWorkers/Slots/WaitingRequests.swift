import Uploads

/// The deliveries that wait for a slot, by kind and, within each kind, in the order of their arrival. So a decision looks at the few kinds,
/// however many deliveries wait.
struct WaitingRequests: Sendable {
    struct Entry: Sendable {
        let request: SlotRequest
        /// Counts the arrivals of all kinds.
        let number: UInt64
        let arrivedAt: Duration
    }

    /// The ids of one kind. Those before `first`, and some behind it, have left.
    private struct Order: Sendable {
        var ids: [UInt64] = []
        var first = 0
    }

    private var entries: [UInt64: Entry] = [:]
    private var orders: [SlotRequest.Kind: Order] = [:]
    private var nextNumber: UInt64 = 0
    /// How many wait of each kind; a kind of which none waits is not listed.
    private(set) var counts: [SlotRequest.Kind: Int] = [:]

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    subscript(id: UInt64) -> SlotRequest? { entries[id]?.request }

    func count(where isWanted: (SlotRequest.Kind) -> Bool) -> Int {
        counts.reduce(0) { isWanted($1.key) ? $0 + $1.value : $0 }
    }

    func contains(where isWanted: (SlotRequest.Kind) -> Bool) -> Bool { counts.keys.contains(where: isWanted) }

    /// The delivery of the kind that came first.
    func first(of kind: SlotRequest.Kind) -> Entry? {
        orders[kind].flatMap { $0.first < $0.ids.count ? entries[$0.ids[$0.first]] : nil }
    }

    /// The delivery of these kinds that came first.
    func first(where isWanted: (SlotRequest.Kind) -> Bool) -> Entry? {
        var found: Entry?
        for kind in counts.keys where isWanted(kind) {
            guard let entry = first(of: kind), entry.number < found?.number ?? .max else { continue }
            found = entry
        }
        return found
    }

    /// How many deliveries of these kinds wait by a property of theirs, in its order.
    func sums(
        by property: (SlotRequest.Kind) -> String, where isWanted: (SlotRequest.Kind) -> Bool
    ) -> [(key: String, value: Int)] {
        var sums: [String: Int] = [:]
        for (kind, count) in counts where isWanted(kind) { sums[property(kind), default: 0] += count }
        return sums.sorted { $0.key < $1.key }
    }

    /// All deliveries of these kinds, in the order of their arrival.
    func all(where isWanted: (SlotRequest.Kind) -> Bool) -> [SlotRequest] {
        entries.values.filter { isWanted($0.request.kind) }.sorted { $0.number < $1.number }.map(\.request)
    }

    mutating func append(_ request: SlotRequest, at now: Duration) {
        nextNumber += 1
        entries[request.id] = Entry(request: request, number: nextNumber, arrivedAt: now)
        orders[request.kind, default: Order()].ids.append(request.id)
        counts[request.kind, default: 0] += 1
    }

    mutating func remove(_ id: UInt64) -> SlotRequest? {
        guard let request = entries.removeValue(forKey: id)?.request else { return nil }
        let kind = request.kind
        guard let count = counts[kind], count > 1, var order = orders.removeValue(forKey: kind) else {
            counts[kind] = nil
            orders[kind] = nil
            return request
        }
        counts[kind] = count - 1
        while order.first < order.ids.count, entries[order.ids[order.first]] == nil { order.first += 1 }
        // Keeps the array at most twice as long as it has to be, for a constant cost a removal.
        if order.first > 32, order.first * 2 > order.ids.count {
            order.ids.removeFirst(order.first)
            order.first = 0
        }
        orders[kind] = order
        return request
    }
}
