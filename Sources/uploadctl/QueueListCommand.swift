import ArgumentParser
import UploadBootstrap

struct QueueListCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists transfer queues: what waits, who takes it, how long it lasts.",
        discussion: """
            DEPTH is what waits in each lane, WAITING what waits for a retry or a time, RATE and
            LEFT go by the last ten minutes.
            """)

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .queues }
}
