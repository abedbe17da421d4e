import ArgumentParser
import UploadBootstrap

struct WorkersCommand: InquiryCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers",
        abstract: "Lists the live workers: state, slots, rate, queues.",
        discussion: """
            SLOTS are the jobs under way, of the most that the worker carries at once.
            RATE is the average since its last report. SINCE says how long it has been
            running, SEEN how long ago it reported: every 10 s, and a worker that has been
            silent for 30 s is left out. A worker that is draining hands its jobs over.
            """)

    static let examples = """
        EXAMPLES
          uploadctl workers
          uploadctl workers -o wide
          uploadctl workers -o ndjson | jq -r 'select(.state == "draining").name'
        """

    @OptionGroup var options: InquiryOptions

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    func inquiry() throws -> Inquiry { .workers }
}
