/// Where a session enters the list of a queue.
public enum TransferPlace: Hashable, Sendable {
    case end
    /// Before all others. What has its turn keeps it.
    case front
    /// 0 or more; beyond the end is the end.
    case index(Int)

    func index(among count: Int) -> Int {
        switch self {
        case .end: count
        case .front: 0
        case .index(let index): min(max(0, index), count)
        }
    }
}
