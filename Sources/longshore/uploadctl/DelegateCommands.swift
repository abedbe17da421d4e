import ArgumentParser
import UploadBootstrap
import Uploads

struct DelegateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delegate",
        abstract: "Lists, registers, changes, pauses, tests and removes delegates, which get the outcomes of jobs.",
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

struct DelegateListCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists delegates with their backlogs.")

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .delegates }
}

struct DelegateShowCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a delegate with its last deliveries.")

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"))
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .registration(.show(name)) }
}

struct DelegateAddCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Registers a webhook or a queue, which gets all outcomes from now on.",
        discussion: """
            Deliveries to a webhook are signed as Standard Webhooks says. Without
            --secret-file the notifier makes a secret, which is printed once. 'delegate
            replay NAME --since 7d' delivers earlier outcomes. Delegates that run commands
            or write logs are declared in the configuration.
            """)

    @Argument(help: ArgumentHelp("The delegate's name: 1 to 64 of a-z, 0-9, '_' and '-'.", valueName: "name"))
    var name: String

    @Flag(help: "Put outcomes into a durable queue of the delegate's own on the broker.")
    var toQueue = false

    @OptionGroup var fields: DelegateFields

    @Option(help: ArgumentHelp("File that holds the secret, or - for standard input.", valueName: "file"))
    var secretFile: String?

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry {
        guard toQueue != (fields.url != nil) else {
            throw ProgramError(.usage, "say where outcomes go: --url URL or --to-queue")
        }
        var values = try fields.values()
        values["kind"] = .string(toQueue ? "queue" : "webhook")
        return .registration(.add(name, values, secretFile: secretFile))
    }
}

struct DelegateChangeCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "change",
        abstract: "Changes a registered delegate from its next delivery on.",
        discussion: """
            Fields that are not given stay as they are. --metadata and --field add to
            those that are there. A delegate that was paused by its failures is served
            again.
            """)

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"))
    var name: String

    @OptionGroup var fields: DelegateFields

    @Option(
        help: ArgumentHelp(
            "Set a field to its default: types, queues, destinations, batches, metadata, fields, ordered, concurrency, "
                + "timeout or mode; repeatable.", valueName: "field"))
    var reset: [String] = []

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .registration(.change(name, try fields.patch(resetting: reset))) }
}

struct DelegateRotateCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-secret",
        abstract: "Signs with another secret, and for a while with the old one too.",
        discussion: """
            Without --secret-file the notifier makes a secret, which is printed once.
            """)

    @Argument(help: ArgumentHelp("A registered webhook.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("File that holds the secret, or - for standard input.", valueName: "file"))
    var secretFile: String?

    @Option(help: ArgumentHelp("How long the old secret signs as well (default: 1d).", valueName: "duration"))
    var overlap: String?

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry {
        let seconds = try overlap.map { text in
            guard let seconds = Quantity.seconds(text), seconds <= 30 * 86_400 else {
                throw ProgramError(.usage, "--overlap '\(text.prefix(80))': expected a duration up to 30d, such as 2h")
            }
            return seconds
        }
        return .registration(.rotateSecret(name, secretFile: secretFile, overlap: seconds))
    }
}

struct DelegateRemoveCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a registered delegate.",
        discussion: """
            Exit status 1: outcomes wait for the delegate, and --discard was not given. The
            queue of a queue delegate stays on the broker with its messages.
            """)

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"))
    var name: String

    @Flag(help: "Remove it though outcomes wait for it: it will never get them.")
    var discard = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .registration(.remove(name, discards: discard, isConfirmed: yes)) }
}

struct DelegatePauseCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Delivers nothing to a delegate; its outcomes are kept.")

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"), completion: NameCompletion.delegates)
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .delegate(.pause, name) }
}

struct DelegateResumeCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Serves a delegate again; the outcomes that wait are due at once.")

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"), completion: NameCompletion.delegates)
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .delegate(.resume, name) }
}

struct DelegateTestCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Delivers an invented outcome, and shows the delegate's answer.",
        discussion: """
            Exit status 1: the delegate did not take the outcome.
            """)

    @Argument(help: ArgumentHelp("A delegate.", valueName: "name"), completion: NameCompletion.delegates)
    var name: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .delegate(.test, name) }
}

struct DelegateReplayCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Delivers again the outcomes that it did not take, or all of a time range.",
        discussion: """
            Without --since, the outcomes that were given up and those that wait for
            another attempt; with it all outcomes since then, also those from before the
            delegate was registered. An outcome keeps its id, so that the receiver can
            recognize a repeat.
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
            throw ProgramError(.usage, "--until without --since: give --since as well")
        }
        return .replay(delegate: name, from: from, to: to)
    }
}
