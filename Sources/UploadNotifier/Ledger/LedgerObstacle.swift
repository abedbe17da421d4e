public import Uploads

/// Why a notifier does not work with its ledger yet.
public enum LedgerObstacle: Hashable, Sendable {
    /// Another notifier has the ledger.
    case taken
    /// Other notifiers have all shards.
    case divided
    /// The ledger cannot be opened for now: a full disk, say.
    case failed(UploadError)
    /// The namespace has another ledger; with the reason, and the remedy for the operator.
    case foreign(String)

    /// The text that `/readyz` shows.
    public func reason(path: String) -> String {
        switch self {
        case .taken: "standing by: another notifier has the ledger \(path)"
        case .divided: "standing by: other notifiers have all shards of the ledger \(path)"
        case .failed(let error): "it cannot record: \(error.message)"
        case .foreign(let reason): reason
        }
    }
}
