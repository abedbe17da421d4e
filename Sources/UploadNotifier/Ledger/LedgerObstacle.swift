public import Uploads

/// Why a notifier is not at work with its ledger yet.
public enum LedgerObstacle: Hashable, Sendable {
    /// Another notifier of this host has it.
    case taken
    /// It cannot be opened for now: a full disk, say.
    case failed(UploadError)
    /// It is not the one that the namespace has; with the reason, and what an operator may do.
    case foreign(String)

    /// As `/readyz` says it.
    public func reason(path: String) -> String {
        switch self {
        case .taken: "standing by: another notifier has the ledger \(path)"
        case .failed(let error): "it cannot record: \(error.message)"
        case .foreign(let reason): reason
        }
    }
}
