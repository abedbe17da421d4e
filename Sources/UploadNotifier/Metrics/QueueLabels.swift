import Uploads

/// Which transfer queues label metrics. Producers choose the names, so only so many have series of their own; the others are
/// ``others`` together.
struct QueueLabels: Sendable {
    static let countMaximum = 100
    static let others = "other"

    private(set) var known: Set<String> = []

    /// Keeps the queues that have labels and jobs, and adds those with the most work, as far as there is room.
    mutating func update(_ loads: [QueueLoad]) {
        known.formIntersection(loads.map(\.queue.rawValue))
        guard known.count < Self.countMaximum else { return }
        let new = loads.filter { !known.contains($0.queue.rawValue) }.sorted {
            ($0.live, $1.queue.rawValue) > ($1.live, $0.queue.rawValue)
        }
        known.formUnion(new.prefix(Self.countMaximum - known.count).map(\.queue.rawValue))
    }

    func label(of queue: QueueName) -> String { known.contains(queue.rawValue) ? queue.rawValue : Self.others }
}
