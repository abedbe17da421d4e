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

    @Flag(help: "All jobs that the command can act on.")
    public var all = false

    public init() {}

    /// The orders to send: the ids in portions of at most ``UploadOrder/jobsMaximum``, or one filter.
    /// - Parameters:
    ///   - atMost: for a filter: if more jobs match, the notifier does nothing.
    ///   - endedBefore: restricts the filter to jobs that ended before this time; it is enough as a filter by itself.
    /// - Throws: `usage` without ids and filter, with both, and for an invalid id, queue or status.
    public func commands(
        _ verb: Verb, atMost: Int? = nil, endedBefore: Date? = nil
    ) throws(ProgramError) -> [UploadOrder.Command] {
        let hasFilter =
            queue != nil || destination != nil || batch != nil || endedBefore != nil || !status.isEmpty
        guard ids.isEmpty || !(hasFilter || all) else {
            throw ProgramError(.usage, "ids and a filter: name jobs one way or the other")
        }
        if ids.isEmpty {
            guard hasFilter || all else {
                throw ProgramError(.usage, "no jobs: give ids, a filter such as --batch NAME, or --all")
            }
            var filter = try filter()
            filter.endedBefore = endedBefore
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

    private func filter() throws(ProgramError) -> OrderFilter {
        var filter = OrderFilter(destination: destination, batch: batch)
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

extension [String] {
    /// The words of an option that may be repeated and may have several, with commas between them.
    var commaSeparated: [String] {
        flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }
}
