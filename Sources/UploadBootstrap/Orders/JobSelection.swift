public import ArgumentParser
public import Foundation
public import Uploads

/// The jobs that a command acts on: ids, or a filter.
public struct JobSelection: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp("Jobs, as enqueue-upload printed them.", valueName: "id"), completion: NameCompletion.jobs)
    var ids: [String] = []

    @Option(help: ArgumentHelp("Jobs of this transfer queue.", valueName: "name"), completion: NameCompletion.queues)
    var queue: String?

    @Option(
        help: ArgumentHelp("Jobs for this destination.", valueName: "name"), completion: NameCompletion.destinations)
    var destination: String?

    @Option(help: ArgumentHelp("Jobs of this batch.", valueName: "name"))
    var batch: String?

    @Option(
        help: ArgumentHelp(
            "queued, running, waiting, paused, completed, failed or cancelled; several with commas, or repeated (default: all that can obey).",
            valueName: "status"),
        completion: .list(LedgerStatus.allCases.map(\.rawValue)))
    var status: [String] = []

    @Option(help: ArgumentHelp("The job with this idempotency key.", valueName: "key"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Part of a source's name, a key, metadata, a batch or an error; 3 to 200 characters.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("Enqueued since: 2h ago, or a time such as 2026-11-21T08:00.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Enqueued before: 1h ago, or a time.", valueName: "time"))
    var until: String?

    @Option(help: ArgumentHelp("Ended since: 2h ago, or a time.", valueName: "time"))
    var endedSince: String?

    @Option(help: ArgumentHelp("Ended before: 1h ago, or a time.", valueName: "time"))
    var endedUntil: String?

    @Option(
        help: ArgumentHelp("Failed with this error, such as accessDenied.", valueName: "code"),
        completion: .list(UploadError.Code.allCodes.map(\.description)))
    var error: String?

    @Option(help: ArgumentHelp("Jobs of this app.", valueName: "name"))
    var client: String?

    @Flag(help: "All jobs that the command can act on.")
    public var all = false

    public init() {}

    /// The orders to send: the ids in portions of at most ``UploadOrder/jobsMaximum``, or one filter.
    /// - Parameters:
    ///   - atMost: for a filter: if more jobs match, the notifier does nothing.
    /// - Throws: `usage` without ids and filter, with both, and for an invalid id, queue, status, text, time or error.
    public func commands(
        _ verb: Verb, atMost: Int? = nil, now: Date = Date()
    ) throws(ProgramError) -> [UploadOrder.Command] {
        let filter = try filter(now: now)
        let hasFilter = filter != OrderFilter()
        guard ids.isEmpty || !(hasFilter || all) else {
            throw ProgramError(.usage, "ids and a filter: name jobs one way or the other")
        }
        if ids.isEmpty {
            guard hasFilter || all else {
                throw ProgramError(.usage, "no jobs: give ids, a filter such as --batch NAME, or --all")
            }
            return [.matching(verb, filter, atMost: atMost)]
        }
        let jobs = try Self.jobs(ids)
        return stride(from: 0, to: jobs.count, by: UploadOrder.jobsMaximum).map { start in
            .jobs(verb, Array(jobs[start..<min(start + UploadOrder.jobsMaximum, jobs.count)]))
        }
    }

    /// - Throws: `usage` for a text that is not a job id.
    public static func jobs(_ ids: [String]) throws(ProgramError) -> [JobID] {
        try ids.map { text throws(ProgramError) in
            guard let id = JobID(text) else {
                throw ProgramError(.usage, "'\(text.prefix(80))' is no job id: give one that enqueue-upload printed")
            }
            return id
        }
    }

    private func filter(now: Date) throws(ProgramError) -> OrderFilter {
        var filter = OrderFilter(destination: destination, batch: batch)
        filter.idempotencyKey = key
        filter.client = client
        filter.code = try error.map { name throws(ProgramError) in try UploadError.Code(argument: name) }
        filter.enqueuedSince = try PastTime.read(since, of: "--since", now: now)
        filter.enqueuedUntil = try PastTime.read(until, of: "--until", now: now)
        filter.endedSince = try PastTime.read(endedSince, of: "--ended-since", now: now)
        filter.endedUntil = try PastTime.read(endedUntil, of: "--ended-until", now: now)
        if let text {
            guard
                (LedgerFilter.textCountMinimum...LedgerFilter.textCountMaximum).contains(text.unicodeScalars.count)
            else {
                throw ProgramError(
                    .usage,
                    "--text: give \(LedgerFilter.textCountMinimum) to \(LedgerFilter.textCountMaximum) characters")
            }
            filter.text = text
        }
        if let queue {
            do throws(UploadError) {
                filter.queue = try QueueName(queue)
            } catch {
                throw ProgramError(.usage, "--queue: \(error.message)")
            }
        }
        guard !status.isEmpty else { return filter }
        filter.statuses = Set(
            try status.commaSeparated.map { word throws(ProgramError) in
                guard let status = LedgerStatus(rawValue: word) else {
                    let known = LedgerStatus.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ProgramError(.usage, "--status: '\(word.prefix(80))' is not a status; choose from \(known)")
                }
                return status
            })
        return filter
    }
}

extension UploadError.Code {
    /// - Throws: `usage` for a text that is no code.
    init(argument name: String) throws(ProgramError) {
        guard let code = Self(exactly: name) else {
            let known = Self.allCodes.map(\.description).joined(separator: ", ")
            throw ProgramError(.usage, "--error: '\(name.prefix(80))' is no error; choose from \(known)")
        }
        self = code
    }
}

extension [String] {
    /// The words of an option that may be repeated and may have several, with commas between them.
    var commaSeparated: [String] {
        flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}
