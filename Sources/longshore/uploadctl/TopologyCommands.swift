import ArgumentParser
import UploadBootstrap

struct TopologyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topology",
        abstract: "Shows, checks, declares, migrates and deletes the exchanges and queues on the broker.",
        subcommands: [
            TopologyShowCommand.self, TopologyCheckCommand.self, TopologyDeclareCommand.self,
            TopologyMigrateCommand.self, TopologyDeleteCommand.self,
        ],
        defaultSubcommand: TopologyShowCommand.self)

    static let examples = """
        EXAMPLES
          uploadctl topology
          uploadctl topology check --queue video
          uploadctl topology declare --queue video
          uploadctl topology migrate --queue video
          uploadctl topology delete --namespace trial --queue video --yes
        """
}

/// A command about the exchanges and queues on the broker.
protocol TopologyInquiry: ControlCommand {
    var options: TopologyOptions { get }
    var verb: TopologyRequest.Verb { get }
}

extension TopologyInquiry {
    func perform() async throws -> UploadBootstrap.ExitCode {
        try await Bootstrap.topology(try options.request(verb), common.input, checkConfig: common.checkConfig)
    }
}

struct TopologyShowCommand: TopologyInquiry {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Lists exchanges and queues, with their messages and consumers.")

    @OptionGroup var options: TopologyOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var verb: TopologyRequest.Verb { .show }
}

struct TopologyDeclareCommand: TopologyInquiry {
    static let configuration = CommandConfiguration(
        commandName: "declare",
        abstract: "Declares all exchanges, queues and bindings of the namespace.",
        discussion: """
            For an administrator, where the programs' own users may not declare. Existing
            ones stay as they are. Name every transfer queue and delegate's queue.
            """)

    @Flag(
        name: .customLong("print"),
        help: "Only print definitions for 'rabbitmqctl import_definitions'.")
    var isPrinted = false

    @OptionGroup var options: TopologyOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var verb: TopologyRequest.Verb { .declare(isPrinted: isPrinted) }
}

struct TopologyCheckCommand: TopologyInquiry {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Lists exchanges and queues that are missing or differ from their declaration.",
        discussion: """
            Changes nothing; exit status 1 if it finds a difference. AMQP cannot read
            bindings: the next program that starts declares them.
            """)

    @OptionGroup var options: TopologyOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var verb: TopologyRequest.Verb { .check }
}

struct TopologyMigrateCommand: TopologyInquiry {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Moves a namespace that an earlier version declared to this version.",
        discussion: """
            Stop every program of the earlier version first. No message is lost, and an
            interrupted migration goes on when the command is given again. Name every
            transfer queue that is used.
            """)

    @OptionGroup var options: TopologyOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var verb: TopologyRequest.Verb { .migrate }
}

struct TopologyDeleteCommand: TopologyInquiry {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes all exchanges and queues of the namespace.",
        discussion: """
            Refused while a program reads from one of them, and while messages wait unless
            --discard is given. Name every transfer queue that was used: AMQP cannot list
            them.
            """)

    @Flag(help: "Delete queues though messages wait in them: those uploads are lost.")
    var discard = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: TopologyOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var verb: TopologyRequest.Verb { .delete(discardsMessages: discard, isConfirmed: yes) }
}
