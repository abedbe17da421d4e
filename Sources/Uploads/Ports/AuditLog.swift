/// The part of the ledger that keeps what operators have ordered. It notes orders that it carries out itself, in the transaction that
/// ends them; whatever else acts on an order tells it by `note`.
public protocol AuditLog: Sendable {
    /// Keeps an entry. A later one of the same order (``AuditEntry/order``) only tells how the order ended.
    func note(_ entry: AuditEntry) async throws(UploadError)

    /// Entries, the newest first.
    func audit(_ listing: AuditListing) async throws(UploadError) -> [AuditRecord]
}
