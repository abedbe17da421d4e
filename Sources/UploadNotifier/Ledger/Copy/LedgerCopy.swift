package import Logging
package import Uploads

/// Copies a ledger into an empty one, of the same or the other kind of database.
///
/// A copy goes table by table and page by page. The destination writes each page in one transaction with the mark of the progress
/// (`CopyMark`), so a copy that was killed goes on where it was. Until the copy is complete and has been compared with its source, the
/// destination's table `copying` keeps notifiers from opening it.
///
/// The copy has the identity of its source, so the control log takes it for the same ledger: of the two, the first that a notifier opens
/// afterwards has the namespace, and the other one is an old copy, with which no notifier records anything (`LedgerClaimant`).
package enum LedgerCopy {
    /// The most rows of a page.
    static let pageCount = 500
    /// A page ends with the row with which it reaches this size. The largest row holds a message of 4 MiB.
    static let pageBytes = 8 << 20

    /// Copies a ledger. Called again after an interruption, it goes on with the same copy.
    /// - Parameters:
    ///   - source: the ledger to copy; no notifier may work with it.
    ///   - destination: a new ledger, which is made, or the destination of a copy that was interrupted.
    ///   - progress: receives the progress after each page.
    /// - Returns: the tables, as they were compared.
    /// - Throws: `misconfigured` if a ledger cannot be opened or is in use; `rejected` if the destination is no new ledger, or a notifier
    ///   has taken the source over; `checksumMismatch` if the copy differs from its source; `serverFailure` for an obstacle that may pass;
    ///   `interrupted` if the calling task is cancelled.
    package static func run(
        from source: LedgerPlace, to destination: LedgerPlace, logger: Logger,
        progress: @Sendable (CopyProgress) -> Void = { _ in }
    ) async throws(UploadError) -> [CopiedTable] {
        guard source != destination else {
            throw UploadError(.rejected, "the ledger \(source) cannot be copied to itself; name another destination")
        }
        return try await source.withCopySource(logger) { source throws(UploadError) in
            try await destination.withCopyDestination(logger) { destination throws(UploadError) in
                try await copy(from: source, to: destination, logger, progress)
            }
        }
    }

    static func copy(
        from source: any LedgerCopySource, to destination: any LedgerCopyDestination, pageCount: Int = pageCount,
        _ logger: Logger, _ progress: @Sendable (CopyProgress) -> Void
    ) async throws(UploadError) -> [CopiedTable] {
        let identity = try await source.identity()
        var mark = try await begin(identity, source.path, destination, logger)
        let start = LedgerTable.all.firstIndex { $0.name == mark.table } ?? 0
        for table in LedgerTable.all[start...] {
            mark = try await copy(table, from: source, to: destination, mark, pageCount, progress)
        }
        let copied = try await check(source, destination, progress)
        try await source.checkUnchanged()
        try await destination.finish(identity, numbers: try await source.lastNumbers())
        return copied
    }

    /// Begins a copy, or finds the one to go on with.
    private static func begin(
        _ identity: LedgerIdentity, _ source: String, _ destination: any LedgerCopyDestination, _ logger: Logger
    ) async throws(UploadError) -> CopyMark {
        let mark = CopyMark(identity)
        guard let old = try await destination.mark() else {
            for table in LedgerTable.all where try await destination.count(of: table) > 0 {
                throw UploadError(
                    .rejected,
                    "\(destination.path) is a ledger with rows in its table '\(table.name)', which a copy would mix with its own; "
                        + "name a new destination")
            }
            try await destination.begin(mark)
            return mark
        }
        guard old.ledger == identity.id else {
            throw UploadError(
                .rejected,
                "\(destination.path) has an unfinished copy of another ledger (\(old.ledger.text)) than \(source) "
                    + "(\(identity.id.text)); finish that copy, or name a new destination")
        }
        guard old.isAbout(identity) else {
            logger.warning(
                "a notifier has worked with the ledger since its copy was interrupted, or this program is of another version: the copy starts over",
                metadata: [LogKey.path: "\(destination.path)"])
            try await destination.restart(mark)
            return mark
        }
        logger.notice(
            "the interrupted copy of the ledger goes on", metadata: [LogKey.path: "\(destination.path)"])
        return old
    }

    private static func copy(
        _ table: LedgerTable, from source: any LedgerCopySource, to destination: any LedgerCopyDestination,
        _ start: CopyMark, _ pageCount: Int, _ progress: (CopyProgress) -> Void
    ) async throws(UploadError) -> CopyMark {
        let total = try await source.count(of: table)
        var mark = start
        while true {
            try checkCancellation()
            let key = mark.lastKey(of: table)
            let rows = try await source.page(of: table, after: key, limit: pageCount)
            let isEmptying = table.isKeptByTriggers && key.isEmpty
            guard !rows.isEmpty || isEmptying else { return mark }
            mark = mark.after(rows, of: table)
            try await destination.write(rows, to: table, emptying: isEmptying, mark)
            progress(CopyProgress(step: .copying, table: table.name, done: mark.copied, total: total))
            guard !rows.isEmpty else { return mark }
        }
    }

    static func checkCancellation() throws(UploadError) {
        guard !Task.isCancelled else {
            throw UploadError(.interrupted, "the copy was stopped; run the same command again, and it goes on")
        }
    }

    /// Refuses a ledger that a copy has not completed.
    static func unfinished(_ path: String) -> UploadError {
        UploadError(
            .misconfigured,
            "\(path) is an unfinished copy of a ledger; finish it with 'uploadctl ledger copy' and the same source, or name another "
                + "ledger")
    }
}
