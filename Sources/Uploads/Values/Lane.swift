/// One of the four lanes of a transfer queue, in the order in which they are served; each keeps a share.
public enum Lane: String, CaseIterable, Codable, Sendable, Comparable {
    /// What an operator wants now, and cancellations.
    case urgent
    /// Slices of uploads that have begun: finish before starting more.
    case continued
    case normal
    case bulk

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .urgent: 0
        case .continued: 1
        case .normal: 2
        case .bulk: 3
        }
    }
}
