public import Foundation
public import Logging
import Metrics
public import Uploads

/// Removes unfinished uploads that no worker will continue from their destinations, by ``SweepRule``.
public struct Sweeper: Sendable {
    private let ledger: any SweepQueries
    private let rule: SweepRule
    private let targets: @Sendable () -> [SweepTarget]
    private let logger: Logger
    /// Seconds by which the clocks of a destination and of the workers may differ.
    private static let clockTolerance: TimeInterval = 3600

    /// - Parameter targets: called before each sweep.
    public init(
        ledger: any SweepQueries, rule: SweepRule = SweepRule(), logger: Logger,
        targets: @escaping @Sendable () -> [SweepTarget]
    ) {
        self.ledger = ledger
        self.rule = rule
        self.logger = logger
        self.targets = targets
    }

    /// Sweeps all destinations once. A destination that cannot be asked causes a warning, and the others are swept all the same.
    /// - Parameter isUpToDate: called after a destination has listed an upload; returns whether the ledger has recorded all messages up to
    ///   now. If not, nothing is removed.
    /// - Returns: how many uploads were removed.
    @discardableResult
    public func sweep(now: Date, isUpToDate: @Sendable () async -> Bool) async -> Int {
        var count = 0
        for target in targets() {
            guard !Task.isCancelled else { return count }
            do throws(UploadError) {
                guard
                    let report = try await sweep(target, by: rule, dryRun: false, now: now, isUpToDate: isUpToDate)
                else {
                    logger.debug("the sweep waits: this notifier stands by, or is behind")
                    return count
                }
                count += report.removed
            } catch {
                logger.warning(
                    "unfinished uploads of a destination cannot be looked for; it is tried again at the next sweep",
                    metadata: [LogKey.destination: "\(target.name)", LogKey.error: "\(error)"])
            }
        }
        return count
    }

    /// Sweeps one destination once.
    /// - Parameters:
    ///   - olderThan: seconds in place of the rule's; 1 hour at least.
    ///   - dryRun: only lists the uploads and removes nothing.
    /// - Throws: `misconfigured` when this notifier cannot sweep the destination, `interrupted` when the ledger is behind, and the errors
    ///   of the destination.
    public func sweep(
        _ name: DestinationName, olderThan: TimeInterval?, dryRun: Bool, now: Date,
        isUpToDate: @Sendable () async -> Bool
    ) async throws(UploadError) -> SweepReport {
        guard let target = targets().first(where: { $0.name == name }) else {
            throw UploadError(
                .misconfigured,
                "the notifier's configuration has no destination '\(name)' whose unfinished uploads can be listed: sweep a "
                    + "destination of the driver directory or s3 that it knows, with its credentials")
        }
        var rule = rule
        if let olderThan { rule.sweepAfter = max(UploadOrder.sweepAfterMinimum, olderThan) }
        let report = try await sweep(target, by: rule, dryRun: dryRun, now: now, isUpToDate: isUpToDate)
        guard let report else { throw .sweepIsBehind }
        return report
    }

    /// - Returns: nil when the ledger is not up to date.
    private func sweep(
        _ target: SweepTarget, by rule: SweepRule, dryRun: Bool, now: Date, isUpToDate: @Sendable () async -> Bool
    ) async throws(UploadError) -> SweepReport? {
        let found = try await target.destination.unfinished(startedBefore: now.addingTimeInterval(-rule.sweepAfter))
        var report = SweepReport(dryRun: dryRun, listed: found.count)
        guard !found.isEmpty else { return report }
        guard await isUpToDate() else { return nil }
        let states = try await ledger.namedStates(failedSince: now.addingTimeInterval(-rule.keepFailed))
        let named = Set(states.compactMap { target.destination.sessionID(of: $0) })
        for upload in found where !Task.isCancelled {
            let isNamed = named.contains(upload.sessionID)
            guard let owner = isNamed ? .named : try await owner(of: upload, at: target),
                rule.isAbandoned(upload, owner: owner, now: now)
            else { continue }
            var item = SweepReport.Item(
                name: upload.key, sessionID: upload.sessionID, job: upload.job, since: upload.startedAt,
                bytes: upload.bytes)
            if !dryRun {
                item.reason = await discard(upload, at: target)?.message
                item.removed = item.reason == nil
            }
            report.add(item)
        }
        return report
    }

    /// - Returns: nil for a job whose row cannot be read: its upload may still be needed.
    private func owner(
        of upload: UnfinishedUpload, at target: SweepTarget
    ) async throws(UploadError) -> SweepRule.Owner? {
        if let job = upload.job {
            do throws(UploadError) {
                return .job(try await ledger.job(job))
            } catch {
                guard error.cause is DamagedRow else { throw error }
                return nil
            }
        }
        let isKnown = try await ledger.knowsState(
            at: target.name, key: upload.key, toldSince: upload.startedAt - Self.clockTolerance
        ) { target.destination.sessionID(of: $0) == upload.sessionID }
        return .session(isKnown: isKnown)
    }

    /// - Returns: why the upload could not be removed; nil when it is gone.
    private func discard(_ upload: UnfinishedUpload, at target: SweepTarget) async -> UploadError? {
        var metadata: Logger.Metadata = [
            LogKey.destination: "\(target.name)", LogKey.key: "\(upload.key)",
            LogKey.startedAt: "\(WireJSON.timestamp(upload.startedAt))",
        ]
        if let job = upload.job { metadata[LogKey.job] = "\(job)" }
        do throws(UploadError) {
            try await target.destination.discard(upload)
        } catch {
            metadata[LogKey.error] = "\(error)"
            logger.warning(
                "an abandoned upload cannot be removed; it is tried again at the next sweep", metadata: metadata)
            return error
        }
        Counter(label: "upload_swept_total", dimensions: [("destination", target.name.rawValue)]).increment()
        logger.info("removed an abandoned upload", metadata: metadata)
        return nil
    }
}

extension UploadError {
    /// The error of an ordered sweep while the ledger is behind, so that it does not know which uploads are still
    /// needed.
    static var sweepIsBehind: UploadError {
        UploadError(
            .interrupted,
            "the notifier has not recorded all messages yet: nothing was removed; order the sweep again")
    }
}
