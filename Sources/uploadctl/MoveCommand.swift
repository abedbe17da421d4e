import ArgumentParser
import UploadBootstrap
import Uploads

struct MoveCommand: OrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves jobs that wait in a serial line to another place.",
        discussion: """
            Several keep the order in which they are named. A job whose turn has come
            already is refused, unless it is paused and nobody works on it.
            """)

    static let examples = """
        EXAMPLES
          uploadctl move 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90 --to 0
          uploadctl move 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90 --to 5
          uploadctl move 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90 \
              --before 019a7d3e-1a7b-7f02-8c11-5b8e7d0c4a11

        'uploadctl queue line NAME' shows who stands where.
        """

    @Argument(
        help: ArgumentHelp("Jobs, as enqueue-upload printed them.", valueName: "id"), completion: NameCompletion.jobs)
    var ids: [String]

    @Option(help: ArgumentHelp("How many that still wait stay ahead; 0 is next.", valueName: "n"))
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
