public import ArgumentParser
public import Foundation
public import Uploads

/// Which jobs a command is about, by ids or by a filter.
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
            "queued, running, waiting, paused, completed, failed or cancelled; repeatable. Those that can obey if left out.",
            valueName: "status"),
        completion: .list(LedgerStatus.allCases.map(\.rawValue)))
    var status: [String] = []

    @Flag(help: "All jobs that can obey.")
    var all = false

    public init() {}

    /// The orders' commands: ids in portions, or one filter.
    /// - Parameters:
    ///   - atMost: of a filter: more jobs than this, and nothing happens.
    ///   - endedBefore: of a filter, and one by itself: jobs that ended before this time.
    /// - Throws: usage: nothing is named, or both ids and a filter, or what is no id, queue or status.
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

    /// - Throws: usage, for what is no id.
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
            try status.map { word throws(ProgramError) in
                guard let status = LedgerStatus(rawValue: word) else {
                    let known = LedgerStatus.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ProgramError(.usage, "--status: '\(word.prefix(80))' is none; there are \(known)")
                }
                return status
            })
        return filter
    }
}
