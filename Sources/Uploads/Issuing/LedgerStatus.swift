/// The state of a job, as far as the ledger knows.
public enum LedgerStatus: String, CaseIterable, Codable, Sendable {
    case queued, running, waiting, paused, completed, failed, cancelled

    /// Whether the round is over.
    public var isEnd: Bool {
        switch self {
        case .completed, .failed, .cancelled: true
        case .queued, .running, .waiting, .paused: false
        }
    }
}
