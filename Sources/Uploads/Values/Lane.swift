/// One of the four lanes of a transfer queue, in the order in which they are served; each lane gets a share of the
/// slots.
public enum Lane: String, CaseIterable, Codable, Sendable, Comparable {
    /// Jobs that an operator wants to run now, and cancellations.
    case urgent
    /// Slices of uploads that have begun: they finish before more are started.
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
