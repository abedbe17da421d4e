import ArgumentParser
import UploadBootstrap

struct DelegateReplayCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Delivers once more what was given up, or all of a time.",
        discussion: """
            Without --since, what was given up; with it also what ended before the delegate
            was registered. An outcome keeps its id, so that the receiver can tell that it
            had it.
            """)

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"), completion: NameCompletion.delegates)
    var name: String

    @Option(help: ArgumentHelp("Outcomes since: 2h ago, or a time.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Outcomes before: 1h ago, or a time (default: now).", valueName: "time"))
    var until: String?

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry {
        let (from, to) = (try PastTime.read(since, of: "--since"), try PastTime.read(until, of: "--until"))
        guard from != nil || to == nil else {
            throw ProgramError(.usage, "--until without --since: say since when")
        }
        return .replay(delegate: name, from: from, to: to)
    }
}
