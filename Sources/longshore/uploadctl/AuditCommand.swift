import ArgumentParser
import UploadBootstrap

struct AuditCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Lists what operators have ordered: who, when, from where, and the result.",
        discussion: """
            The orders of uploadctl, of the HTTP API and of the dashboard, the newest
            first, for as long as notifier.keep.audit says. BY is the name of the token and
            the address of who gave the order; where the broker is asked directly, as
            uploadctl does, it is what the program says. Needs a token with the role
            operate or administer.
            """)

    static let examples = """
        EXAMPLES
          uploadctl audit --since 1d
          uploadctl audit --by jo --verb cancel
          uploadctl audit -o ndjson | jq -r .subject
        """

    @OptionGroup var choice: AuditChoice

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .audit(choice) }
}
