/// Which way the files of a session go.
public enum TransferDirection: String, Codable, Sendable, CaseIterable {
    /// To the account's destination.
    case upload
    /// From it.
    case download
}
