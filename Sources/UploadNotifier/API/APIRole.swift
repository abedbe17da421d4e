/// What the holder of a token may do with the API and the dashboard. Each role may also do what those before it may.
public enum APIRole: String, CaseIterable, Comparable, Sendable {
    /// See everything, change nothing.
    case read
    /// Enqueue jobs, give all orders that a pool's daily work needs, and see who gave which.
    case operate
    /// Register, change and remove delegates, forget jobs, and make backups.
    case administer

    public static func < (left: APIRole, right: APIRole) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .read: 0
        case .operate: 1
        case .administer: 2
        }
    }
}
