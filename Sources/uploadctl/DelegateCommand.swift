import ArgumentParser
import UploadBootstrap

struct DelegateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delegate",
        abstract: "Who is told of outcomes: lists, registers, changes, pauses, tests, removes.",
        subcommands: [
            DelegateListCommand.self, DelegateShowCommand.self, DelegateAddCommand.self, DelegateChangeCommand.self,
            DelegateRotateCommand.self, DelegateRemoveCommand.self, DelegatePauseCommand.self,
            DelegateResumeCommand.self, DelegateTestCommand.self, DelegateReplayCommand.self,
        ],
        defaultSubcommand: DelegateListCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl delegate list
          uploadctl delegate add billing --url https://billing.example/hook
          uploadctl delegate add crm --to-queue --queue video --field file=subject
          uploadctl delegate change billing --timeout 30s --reset types
          uploadctl delegate rotate-secret billing --overlap 2h
          uploadctl delegate show billing
          uploadctl delegate test billing
          uploadctl delegate replay billing --since 2h
          uploadctl delegate remove billing
        """
}
