import ArgumentParser
import UploadBootstrap
import Uploads

struct CancelCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels jobs: interrupts them and removes their unfinished uploads.",
        discussion: """
            The unfinished upload at the destination and the staged copy are removed, and
            the job does not run again by itself. An upload that is complete when the order
            reaches it ends as completed.
            """)

    static let examples = """
        EXAMPLES
          uploadctl cancel 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl cancel --batch holiday --yes
          uploadctl cancel --queue video --status waiting --dry-run
        """

    @OptionGroup var jobs: JobSelection

    @Flag(help: "Cancel also when the filter matches more than one job.")
    var yes = false

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(.cancel, atMost: yes ? nil : 1).map { try options.request($0) }
    }
}

struct PauseCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pauses jobs until they are resumed.",
        discussion: """
            A running upload stops at its next part boundary; the parts that were sent
            stay at the destination.
            """)

    static let examples = """
        EXAMPLES
          uploadctl pause 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl pause --destination photos
        """

    @OptionGroup var jobs: JobSelection

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(.pause).map { try options.request($0) }
    }
}

struct ResumeCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Lets paused jobs go on where they stopped.",
        discussion: """
            A filter matches paused jobs only.
            """)

    static let examples = """
        EXAMPLES
          uploadctl resume 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl resume --destination photos
        """

    @OptionGroup var jobs: JobSelection

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(.resume).map { try options.request($0) }
    }
}

struct RunCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs jobs now, ahead of others; with --again, runs ended jobs anew.",
        discussion: """
            A job that waits or is paused goes on at once. Where a worker is full, its
            youngest upload that is not urgent makes room and goes on afterwards.
            With --again and no --status, a filter matches failed and cancelled jobs.
            """)

    static let examples = """
        EXAMPLES
          uploadctl run 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl run --status waiting --destination photos
          uploadctl run --again --status failed --batch holiday
          uploadctl run --again --error accessDenied --destination photos --ended-since 2h
          uploadctl run --again --all --yes
        """

    @OptionGroup var jobs: JobSelection

    @Flag(help: "Run ended jobs again, as a new round.")
    var again = false

    @Flag(help: "With --again --all: also when that is more than one job.")
    var yes = false

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        let needsConsent = again && jobs.all && !yes
        return try jobs.commands(again ? .runAgain : .runNow, atMost: needsConsent ? 1 : nil)
            .map { try options.request($0) }
    }
}

struct DiscardCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Gives up failed jobs: removes their unfinished uploads now, not in days.",
        discussion: """
            The unfinished upload at the destination and the staged copy are kept for days,
            so that a failed job can run again from where it stopped. A worker removes both
            now, and the job ends once more, as cancelled, or as completed if its object
            turns out to be whole. To run the job again, the source is needed anew.
            """)

    static let examples = """
        EXAMPLES
          uploadctl discard 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl discard --destination photos --dry-run
          uploadctl discard --batch holiday --yes
        """

    @OptionGroup var jobs: JobSelection

    @Flag(help: "Discard also when the filter matches more than one job.")
    var yes = false

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(.discard, atMost: yes ? nil : 1).map { try options.request($0) }
    }
}

struct ForgetCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Removes names, metadata, answers and errors of ended jobs from the ledger.",
        discussion: """
            File names, keys, metadata, batches, answers of delegates, messages of errors,
            and dead letters that name the jobs are removed for good, from the ledger's
            files too. The ledger keeps the job's id and its outcome, so that nothing is
            uploaded again; the job cannot run again. The notifier refuses a job that has
            not ended, whose outcome still waits for a delegate, or that left an unfinished
            upload ('uploadctl discard' removes it).
            notifier.keep.names does the same by age.
            """)

    static let examples = """
        EXAMPLES
          uploadctl forget 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90
          uploadctl forget --ended-until 30d --dry-run
          uploadctl forget --batch holiday --yes
          uploadctl forget --ended-until 2026-11-01T00:00 --status failed --yes
        """

    @OptionGroup var jobs: JobSelection

    @Flag(help: "Forget also when the filter matches more than one job.")
    var yes = false

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        try jobs.commands(.forget, atMost: yes ? nil : 1).map { try options.request($0) }
    }
}

struct MoveCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves jobs that wait in a serial line to another place.",
        discussion: """
            Several jobs keep the order in which they are named. A job whose turn has come
            already is refused, unless it is paused and no worker has it. 'uploadctl queue
            line NAME' shows the line in its order.
            """)

    static let examples = """
        EXAMPLES
          uploadctl move 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90 --to 0
          uploadctl move 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90 --to 5
          uploadctl move 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90 \\
              --before 019a7d3e-1a7b-7f02-8c11-5b8e7d0c4a11
        """

    @Argument(
        help: ArgumentHelp("Jobs, as enqueue-upload printed them.", valueName: "id"), completion: NameCompletion.jobs)
    var ids: [String]

    @Option(help: ArgumentHelp("The number of waiting jobs that stay ahead; 0 is next.", valueName: "n"))
    var to: Int?

    @Option(help: ArgumentHelp("Directly before this job, which still waits.", valueName: "id"))
    var before: String?

    @Option(help: ArgumentHelp("Directly after this job; next, if its turn has come.", valueName: "id"))
    var after: String?

    @OptionGroup var options: OrderOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func requests() throws -> [OrderRequest] {
        let target = try target()
        guard ids.count <= UploadOrder.jobsMaximum else {
            throw ProgramError(.usage, "\(ids.count) jobs: give at most \(UploadOrder.jobsMaximum) at once")
        }
        return [try options.request(.move(try JobSelection.jobs(ids), target))]
    }

    private func target() throws -> LineTarget {
        switch (to, before, after) {
        case (let to?, nil, nil):
            guard to >= 0 else { throw ProgramError(.usage, "--to \(to): expected a place in the line, 0 or more") }
            return .index(to)
        case (nil, let job?, nil): return try JobSelection.jobs([job]).first.map { .before($0) } ?? .index(0)
        case (nil, nil, let job?): return try JobSelection.jobs([job]).first.map { .after($0) } ?? .index(0)
        default: throw ProgramError(.usage, "give one of --to N, --before ID and --after ID")
        }
    }
}
