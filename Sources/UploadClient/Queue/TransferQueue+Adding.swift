public import Foundation
public import Uploads

/// Saving and enqueuing sessions, and adding files to them.
extension TransferQueue {
    /// Saves a session without listing it. The files' content is copied before this returns.
    /// - Parameter staysOpen: whether files may be added until the session is finished: see
    ///   ``add(_:to:)-([TransferFile],_)``.
    /// - Throws: `invalidFile` for content that cannot be read, `misconfigured` for a session without files that does
    ///   not stay open.
    public func save(
        _ files: [TransferFile], to account: TransferAccount, staysOpen: Bool = false
    ) async throws(UploadError) -> TransferSession {
        try Self.check(files.count, staysOpen)
        return try await keep(files, for: account) { list, kept throws(UploadError) in
            let session = TransferSession(account: account, files: kept, staysOpen: staysOpen)
            list.save(session)
            return ([], session)
        }
    }

    /// Saves a session of downloads without listing it. No bytes are copied: the workers read the objects when the
    /// session's turn comes.
    /// - Throws: `misconfigured` for a session without files that does not stay open.
    public func save(
        _ downloads: [TransferDownload], from account: TransferAccount, staysOpen: Bool = false
    ) async throws(UploadError) -> TransferSession {
        try Self.check(downloads.count, staysOpen)
        let session = TransferSession(
            account: account, files: downloads.map(TransferSession.File.init), direction: .download,
            staysOpen: staysOpen)
        try await change { list throws(UploadError) in
            list.save(session)
            return []
        }
        return session
    }

    /// Lists a saved session.
    /// - Returns: its index.
    @discardableResult
    public func enqueue(_ session: UUID, at place: TransferPlace = .end) async throws(UploadError) -> Int {
        try await perform { list throws(UploadError) in
            let events = try list.enqueue(session, at: place)
            return (events, events.first?.index ?? 0)
        }
    }

    /// Saves and lists a session.
    public func enqueue(
        _ files: [TransferFile], to account: TransferAccount, at place: TransferPlace = .end, staysOpen: Bool = false
    ) async throws(UploadError) -> TransferSession {
        let session = try await save(files, to: account, staysOpen: staysOpen)
        _ = try await enqueue(session.id, at: place)
        return list[session.id] ?? session
    }

    /// Saves and lists a session of downloads.
    public func enqueue(
        _ downloads: [TransferDownload], from account: TransferAccount, at place: TransferPlace = .end,
        staysOpen: Bool = false
    ) async throws(UploadError) -> TransferSession {
        let session = try await save(downloads, from: account, staysOpen: staysOpen)
        _ = try await enqueue(session.id, at: place)
        return list[session.id] ?? session
    }

    /// Adds files to a listed session that stays open, behind its others. Their content is copied before this returns.
    ///
    /// When all files of such a session have ended, it waits, and its turn passes to the next session. When files are
    /// added, it continues as the next session.
    /// - Throws: `rejected` for a session that does not stay open, has ended, or goes the other way; `invalidFile` for
    ///   content that cannot be read. Nothing was added then.
    public func add(_ files: [TransferFile], to session: UUID) async throws(UploadError) {
        guard let account = list[session]?.account else {
            _ = try list.index(of: session)
            return
        }
        try await keep(files, for: account) { list, kept throws(UploadError) in
            (try list.add(kept, to: session, .upload), ())
        }
    }

    /// Adds downloads to a listed session of downloads that stays open, behind its others.
    /// - Throws: `rejected` for a session that does not stay open, has ended, or goes the other way.
    public func add(_ downloads: [TransferDownload], to session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in
            try list.add(downloads.map(TransferSession.File.init), to: session, .download)
        }
    }

    /// Takes no more files for a session that stays open: it ends when its files have ended.
    /// - Throws: `rejected` for a session that does not stay open, or has ended.
    public func finish(_ session: UUID) async throws(UploadError) {
        try await change { list throws(UploadError) in try list.finish(session) }
    }

    private static func check(_ count: Int, _ staysOpen: Bool) throws(UploadError) {
        guard count > 0 || staysOpen else {
            throw UploadError(.misconfigured, "a session has at least one file, or stays open; give it one")
        }
    }

    /// Copies the files' content, then changes the list. If the change fails, the copies are removed.
    @discardableResult
    private func keep<Value>(
        _ files: [TransferFile], for account: TransferAccount,
        _ body: (inout SessionList, [TransferSession.File]) throws(UploadError) -> ([TransferQueueEvent], Value)
    ) async throws(UploadError) -> Value {
        var kept: [TransferSession.File] = []
        do throws(UploadError) {
            for file in files { kept.append(try await store.keep(file, for: account, of: manager.identifier)) }
            let copies = kept
            return try await perform { list throws(UploadError) in try body(&list, copies) }
        } catch {
            await store.discard(kept)
            throw error
        }
    }
}
