import ArgumentParser
import UploadBootstrap

struct DelegateRotateCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-secret",
        abstract: "Signs with another secret, and for a while with the old one too.",
        discussion: """
            Without --secret-file a secret is made and printed, once.
            """)

    @Argument(help: ArgumentHelp("A registered webhook.", valueName: "name"))
    var name: String

    @Option(help: ArgumentHelp("File that holds the secret, or - for standard input.", valueName: "file"))
    var secretFile: String?

    @Option(help: ArgumentHelp("How long the old one signs too (default: 1d).", valueName: "duration"))
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
