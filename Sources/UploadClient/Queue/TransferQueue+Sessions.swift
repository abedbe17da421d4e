public import Foundation
public import Uploads

/// Sessions and accounts.
extension TransferQueue {
    /// Interrupts it. It stays listed, and does not run again by itself. It is ``TransferSession/State/cancelling`` until all of it has ended.
    public func cancel(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.cancel(session) }
    }

    /// Before all others: what has its turn gives it back, and has it again afterwards. One that was cancelled or failed runs again,
    /// with those of its files that did not complete.
    /// - Throws: `rejected` for one that has finished or is being cancelled, and while another one is paused and holds the queue.
    public func run(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.run(session) }
    }

    /// Holds it where it is. When its turn comes, it blocks the queue until it is resumed or cancelled.
    public func pause(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.pause(session) }
    }

    public func resume(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.resume(session) }
    }

    /// Interrupts it. It runs again by itself when those that are in line now have had their turn.
    public func stop(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.stop(session) }
    }

    /// Removes it, with the queue's copies of its files. One that waits at the broker is cancelled there first.
    /// - Throws: `rejected` while it has its turn.
    public func remove(_ session: UUID) async throws(UploadError) {
        let removed = try await perform { list throws(UploadError) in try list.remove(session) }
        if let removed { await store.discard(removed.files) }
    }

    /// Those that sessions were enqueued for, and that were not removed.
    public var accounts: [TransferAccount] { list.accounts }

    /// Keeps an account for which there is no session yet.
    public func add(_ account: TransferAccount) async throws(UploadError) {
        try await change { list throws(UploadError) in
            list.add(account)
            return []
        }
    }

    /// - Throws: `rejected` while sessions of this queue refer to it; the error names them.
    public func remove(_ account: TransferAccount) async throws(UploadError) {
        try await change { list throws(UploadError) in
            try list.remove(account)
            return []
        }
    }
}
