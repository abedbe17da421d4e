/// The ledger's face to those who keep a copy of it.
public protocol LedgerBackup: Sendable {
    /// Copies the ledger as it is at one moment, while it is used, and checks the copy before it gets its name.
    /// - Parameter destination: an absolute path on the ledger's host, in a directory that exists. An older backup there is replaced,
    ///   anything else is not.
    /// - Returns: the copy's bytes.
    /// - Throws: `rejected` if something else lies there; `misconfigured` if the directory cannot be written.
    @discardableResult
    func backup(to destination: String) async throws(UploadError) -> Int64
}
