import ArgumentParser
import UploadBootstrap

struct LedgerBackupCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a checked copy of the ledger, as it is at one moment, while it is used.",
        discussion: """
            The notifier writes it, on its own host and as its own user. An older backup
            under that name is replaced, any other file is not.
            """)

    @Argument(help: ArgumentHelp("Absolute, on the notifier's host.", valueName: "path"), completion: .file())
    var path: String

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func validate() throws {
        guard path.hasPrefix("/") else {
            throw ValidationError("the path is one of the notifier's host: begin it with /")
        }
    }

    func inquiry() throws -> Inquiry { .backUp(path) }
}
