import ArgumentParser
import UploadBootstrap
import Uploads

struct DelegateAddCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Registers a webhook or a queue, which hears of all that ends from now on.",
        discussion: """
            A webhook is signed as Standard Webhooks says. Without --secret-file a secret
            is made and printed, once. What ended before is told with 'delegate replay
            NAME --since 7d'. Commands and logs are declared in the configuration.
            """)

    @Argument(help: ArgumentHelp("Its name: 1 to 64 of a-z, 0-9, '_' and '-'.", valueName: "name"))
    var name: String

    @Flag(help: "Put outcomes into a durable queue of its own on the broker.")
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
