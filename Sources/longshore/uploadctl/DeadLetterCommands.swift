import ArgumentParser
import UploadBootstrap

struct DeadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead",
        abstract: "Shows, replays and discards messages that could not be read or recorded.",
        subcommands: [
            DeadListCommand.self, DeadShowCommand.self, DeadReplayCommand.self, DeadDiscardCommand.self,
        ],
        defaultSubcommand: DeadListCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl dead list
          uploadctl dead show 17
          uploadctl dead replay 17
          uploadctl dead replay --all --type upload.job.v1 --yes
          uploadctl dead discard 17 18 --yes
        """
}

struct DeadListCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists messages that could not be read or recorded, the newest first.")

    @OptionGroup var filter: DeadLetterOptions

    @Option(help: ArgumentHelp("waiting, or replayed: published again.", valueName: "status"))
    var status: DeadLetterStatus?

    @Option(help: ArgumentHelp("The most dead letters to list.", valueName: "n"))
    var limit = 50

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func validate() throws {
        guard (1...Inquiry.rowsMaximum).contains(limit) else {
            throw ValidationError("--limit \(limit): expected a number from 1 to \(Inquiry.rowsMaximum)")
        }
    }

    func inquiry() throws -> Inquiry { .deadLetters(try filter.filter(), status, limit: limit) }
}

struct DeadShowCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a dead letter with the beginning of its body.")

    @Argument(help: ArgumentHelp("A dead letter, as 'dead list' numbers it.", valueName: "id"))
    var id: Int64

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .deadLetter(id) }
}

struct DeadReplayCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publishes dead letters again, once their cause is mended.",
        discussion: """
            The messages go out unchanged to the queues where they belong. A message that
            still cannot be read comes back as a new dead letter. Nothing is uploaded
            twice; a job that has ended is refused: 'run --again' begins a new round of it.
            """)

    @Argument(help: ArgumentHelp("Dead letters, as 'dead list' numbers them.", valueName: "id"))
    var ids: [Int64] = []

    @Flag(help: "All dead letters that were not published again yet.")
    var all = false

    @OptionGroup var filter: DeadLetterOptions

    @Flag(help: "Do not ask, also if more than one matches.")
    var yes = false

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry {
        let filter = try filter.filter()
        guard ids.isEmpty || !(all || filter.isNarrow) else {
            throw ProgramError(.usage, "ids and a filter: name dead letters one way or the other")
        }
        guard ids.isEmpty else { return .replayLetters(ids) }
        guard all || filter.isNarrow else {
            throw ProgramError(.usage, "no dead letters: give ids, a filter such as --type TYPE, or --all")
        }
        return .replayMatching(filter, isConfirmed: yes)
    }
}

struct DeadDiscardCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Throws dead letters away, for good.")

    @Argument(help: ArgumentHelp("Dead letters, as 'dead list' numbers them.", valueName: "id"))
    var ids: [Int64]

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .discard(ids, isConfirmed: yes) }
}
