/// The place at which a session enters the list of a queue.
public enum TransferPlace: Hashable, Sendable {
    case end
    /// Before all other waiting sessions. The session that has its turn keeps it.
    case front
    /// 0 or more; an index beyond the end means the end.
    case index(Int)

    func index(among count: Int) -> Int {
        switch self {
        case .end: count
        case .front: 0
        case .index(let index): min(max(0, index), count)
        }
    }
}
