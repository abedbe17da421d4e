/// How notifiers divide the shards among themselves: each decides for itself, by what it sees. Pure.
struct LeaseDivision: Hashable {
    /// How many of the free shards to take.
    var takes: Int
    /// Held shards that another notifier is to have.
    var gives: Set<Int>

    /// - Parameters:
    ///   - held: the shards of this notifier.
    ///   - freeCount: the shards of no notifier.
    ///   - notifiers: the notifiers that are alive, this one included.
    ///   - count: the shards of the namespace.
    init(held: Set<Int>, freeCount: Int, notifiers: Int, count: Int) {
        let alive = max(1, notifiers)
        // Rounded up, so that together they have room for all; a notifier with one shard more than another one keeps it.
        let share = (count + alive - 1) / alive
        takes = min(max(0, share - held.count), freeCount)
        gives = Set(held.sorted().dropFirst(share))
    }
}
