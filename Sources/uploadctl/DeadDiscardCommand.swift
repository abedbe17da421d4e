import ArgumentParser
import UploadBootstrap

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
