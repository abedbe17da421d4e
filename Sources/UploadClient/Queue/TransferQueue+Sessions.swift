public import Foundation
public import Uploads

/// Sessions and accounts.
extension TransferQueue {
    /// Interrupts the session. It stays listed, and does not run again by itself. It is
    /// ``TransferSession/State/cancelling`` until all its files have ended.
    public func cancel(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.cancel(session) }
    }

    /// Puts the session before all others: the session that has its turn gives it back, and has it again afterwards. A
    /// session that was cancelled or failed runs again, with those of its files that did not complete.
    /// - Throws: `rejected` for a session that has finished or is being cancelled, and while another session is paused
    ///   and holds the queue.
    public func run(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.run(session) }
    }

    /// Holds the session at its present point. When its turn comes, it blocks the queue until it is resumed or
    /// cancelled.
    public func pause(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.pause(session) }
    }

    public func resume(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.resume(session) }
    }

    /// Interrupts the session. It runs again by itself when the sessions that are in line now have had their turn.
    public func stop(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.stop(session) }
    }

    /// Removes the session, with the queue's copies of its files. A session whose jobs the broker has is cancelled
    /// there first.
    /// - Throws: `rejected` while the session has its turn.
    public func remove(_ session: UUID) async throws(UploadError) {
        let removed = try await perform { list throws(UploadError) in try list.remove(session) }
        if let removed { await store.discard(removed.files) }
    }

    /// The accounts that were added, or that a session was saved for, and that were not removed.
    public var accounts: [TransferAccount] { list.accounts }

    /// Adds an account for which there is no session yet.
    public func add(_ account: TransferAccount) async throws(UploadError) {
        try await change { list throws(UploadError) in
            list.add(account)
            return []
        }
    }

    /// - Throws: `rejected` while sessions of this queue refer to the account; the error names them.
    public func remove(_ account: TransferAccount) async throws(UploadError) {
        try await change { list throws(UploadError) in
            try list.remove(account)
            return []
        }
    }
}
