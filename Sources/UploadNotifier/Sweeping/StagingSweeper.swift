public import Foundation
public import Logging
import Metrics
public import Uploads

/// Removes files that no job needs any more from staging areas, by ``StagingRule``.
public struct StagingSweeper: Sendable {
    private let ledger: any StagingQueries
    private let rule: StagingRule
    private let areas: @Sendable () async throws(UploadError) -> [any SweepableStaging]
    private let logger: Logger

    /// - Parameter areas: called before each sweep; returns none while this host has no staging area.
    public init(
        ledger: any StagingQueries, rule: StagingRule = StagingRule(), logger: Logger,
        areas: @escaping @Sendable () async throws(UploadError) -> [any SweepableStaging]
    ) {
        self.ledger = ledger
        self.rule = rule
        self.areas = areas
        self.logger = logger
    }

    /// Makes one sweep.
    /// - Parameter isUpToDate: called after an area was listed; returns whether the ledger has recorded all messages up to now. If not,
    ///   nothing is removed.
    /// - Returns: how many files were removed.
    @discardableResult
    public func sweep(now: Date, isUpToDate: @Sendable () async -> Bool) async -> Int {
        do throws(UploadError) {
            let areas = try await areas()
            if areas.isEmpty { logger.debug("no staging area here: its clean-up is left to a notifier that has it") }
            var report = SweepReport(dryRun: false)
            for area in areas where try await !sweep(area, into: &report, now: now, isUpToDate: isUpToDate) {
                logger.debug("the sweep waits: this notifier stands by, or is behind")
            }
            return report.removed
        } catch {
            logger.warning(
                "the staging area cannot be cleaned up; it is tried again at the next sweep",
                metadata: [LogKey.error: "\(error)"])
            return 0
        }
    }

    /// Makes one sweep that an operator ordered.
    /// - Parameter dryRun: only lists the files and removes nothing.
    /// - Throws: `misconfigured` without a staging area, `interrupted` when the ledger is behind, and the errors of the area.
    public func sweep(
        dryRun: Bool, now: Date, isUpToDate: @Sendable () async -> Bool
    ) async throws(UploadError) -> SweepReport {
        let areas = try await areas()
        guard !areas.isEmpty else {
            throw UploadError(
                .misconfigured,
                "the notifier's host has no staging area: mount it there, or name it in its configuration")
        }
        var report = SweepReport(dryRun: dryRun)
        for area in areas where try await !sweep(area, into: &report, now: now, isUpToDate: isUpToDate) {
            throw .sweepIsBehind
        }
        return report
    }

    /// - Returns: false when the ledger is not up to date.
    private func sweep(
        _ area: any SweepableStaging, into report: inout SweepReport, now: Date, isUpToDate: @Sendable () async -> Bool
    ) async throws(UploadError) -> Bool {
        let found = try await area.leftovers(changedBefore: now.addingTimeInterval(-rule.lookAfter))
        report.look(at: found.count)
        guard !found.isEmpty else { return true }
        guard await isUpToDate() else { return false }
        let names = Set(found.filter { $0.kind == .copy }.map(\.name))
        let jobs = names.isEmpty ? [:] : try await ledger.jobs(naming: names, inArea: area.id)
        for leftover in found where !Task.isCancelled {
            guard rule.isAbandoned(leftover, jobs: jobs[leftover.name] ?? [], now: now) else { continue }
            var item = SweepReport.Item(name: leftover.name, since: leftover.changedAt, bytes: leftover.bytes)
            if !report.dryRun {
                item.reason = await discard(leftover, in: area)
                item.removed = item.reason == nil
            }
            report.add(item)
        }
        return true
    }

    /// - Returns: why the leftover could not be removed; nil when it is gone.
    private func discard(_ leftover: StagedLeftover, in area: any SweepableStaging) async -> String? {
        var metadata: Logger.Metadata = ["file": "\(leftover.name)"]
        do throws(UploadError) {
            guard try await area.discard(leftover) else {
                return "another program works on it, or has written to it since"
            }
        } catch {
            metadata[LogKey.error] = "\(error)"
            logger.warning("a leftover in the staging area cannot be removed", metadata: metadata)
            return error.message
        }
        Counter(label: "upload_staging_swept_total").increment()
        logger.info("removed a leftover from the staging area", metadata: metadata)
        return nil
    }
}
