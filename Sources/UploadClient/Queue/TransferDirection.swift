/// The direction of a session's files.
public enum TransferDirection: String, Codable, Sendable, CaseIterable {
    /// To the account's destination.
    case upload
    /// From the account's destination.
    case download
}
