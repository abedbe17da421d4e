import ArgumentParser
import UploadBootstrap

struct DeadReplayCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publishes dead letters again, when what was wrong is mended.",
        discussion: """
            As they were, where they belong. What still cannot be read comes back as a dead
            letter of its own. Nothing is uploaded twice; a job that has ended is refused:
            'run --again' begins a new round of it.
            """)

    @Argument(help: ArgumentHelp("Dead letters, as 'dead list' numbers them.", valueName: "id"))
    var ids: [Int64] = []

    @Flag(help: "All that were not published again yet.")
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
