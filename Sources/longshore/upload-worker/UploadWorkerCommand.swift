import ArgumentParser
import UploadBootstrap

struct UploadWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload-worker",
        abstract: "Takes jobs from RabbitMQ and uploads their bytes.",
        usage: "upload-worker [options]",
        discussion: """
            Run as many as you like, on as many hosts as you like: they share the work
            and take over from each other. SIGTERM or Ctrl-C hands the running jobs over
            within the grace period; a second Ctrl-C stops at once, which costs time and
            loses no job. SIGHUP reloads destinations and limits.
            """,
        version: ProgramVersion.line(of: "upload-worker"))

    /// The end of `--help`.
    static let examples = """
        EXAMPLES
          upload-worker
          upload-worker --queue video --concurrency 4 --parts 8
          upload-worker --exit-when-idle --http off
          upload-worker --config /etc/longshore/upload.yaml --check-config
        """

    @Option(help: ArgumentHelp("Transfer queue to serve; repeatable (default: default).", valueName: "name"))
    var queue: [String] = []

    @Option(help: ArgumentHelp("Jobs at once at most, fewer where that is as fast (default: 512).", valueName: "n"))
    var concurrency: String?

    @Option(help: ArgumentHelp("Parts of a job at once (default: 4).", valueName: "n"))
    var parts: String?

    @Option(help: ArgumentHelp("How long stopping may take (default: 25s).", valueName: "duration"))
    var grace: String?

    @Option(
        help: ArgumentHelp("How long to work on a job before its handover (default: 5m).", valueName: "duration"))
    var slice: String?

    @Flag(help: "Stop when there is nothing left to do.")
    var exitWhenIdle = false

    @Option(help: ArgumentHelp("Health and metrics, or off (default: 127.0.0.1:9701).", valueName: "host:port"))
    var http: String?

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions

    var input: ConfigurationInput {
        var input = common.input
        input.set("worker.queues", to: queue, flag: "--queue")
        input.set("worker.concurrency", to: concurrency, flag: "--concurrency")
        input.set("worker.parts", to: parts, flag: "--parts")
        input.set("worker.grace", to: grace, flag: "--grace")
        input.set("worker.slice", to: slice, flag: "--slice")
        input.set("worker.http", to: http, flag: "--http")
        return input
    }
}
