import ArgumentParser
import UploadBootstrap
import Uploads

struct EnqueueUploadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enqueue-upload",
        abstract: "Hands files over for upload and prints one job id a line.",
        usage: "enqueue-upload <path> ... --to <dest> [options]",
        discussion: """
            Files are copied into the staging area, so that the original may change or
            go as soon as the command returns. With exit status 0 every job is accepted
            and will survive a crash of any program.

            Of a directory all files are enqueued, hidden ones too, with their relative
            paths as keys, in the order of their names. Links to files are followed,
            links to directories inside a directory are not.

            A manifest has a line for each file: its path, or an object
              {"path": "a b.jpg", "key": "a.jpg", "contentType": "image/jpeg",
               "metadata": {"owner": "jo"}}            (on one line; path is required)
            """)

    /// The end of `--help`.
    static let examples = """
        EXAMPLES
          enqueue-upload cat.jpg --to photos:2026/11/
          enqueue-upload cat.jpg --to photos:pets/tom.jpg --wait
          enqueue-upload holiday/ --to file:///srv/archive/holiday/
          pg_dump shop | enqueue-upload - --to backups:shop.sql
          find . -name '*.log' | enqueue-upload --manifest - --to logs:
          enqueue-upload cat.jpg --to 'https://host/cat.jpg?signature=…' --json

        EXIT STATUS
          0 done, 1 an upload failed (--wait), 64 usage, 65 bad input, 66 no such
          file, 69 broker unavailable, 74 read or write error, 77 refused,
          78 configuration, 130 interrupted
        """

    @Argument(help: ArgumentHelp("Files, directories, or - for standard input.", valueName: "path"))
    var paths: [String] = []

    @Option(help: ArgumentHelp("NAME:KEY, NAME:PREFIX/, NAME:, https://… or file:///…", valueName: "dest"))
    var to: String?

    @Option(help: ArgumentHelp("Transfer queue (default: default).", valueName: "name"))
    var queue: String?

    @Option(help: ArgumentHelp("urgent, normal or bulk (default: normal).", valueName: "lane"))
    var priority: String?

    @Option(help: ArgumentHelp("Media type; by the file's extension if left out.", valueName: "type"))
    var contentType: String?

    @Option(help: ArgumentHelp("Kept with the object and told in events; repeatable.", valueName: "key=value"))
    var metadata: [String] = []

    @Flag(help: "Upload from where the file lies instead of a copy.")
    var noStage = false

    @Option(help: ArgumentHelp("Attempts before it is given up (default: 10).", valueName: "n"))
    var maxAttempts: Int?

    @Option(help: ArgumentHelp("File with one upload a line, or -.", valueName: "file"))
    var manifest: String?

    @Flag(help: "Wait for the outcomes and show progress.")
    var wait = false

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(help: "List what would be enqueued, and stop.")
    var dryRun = false

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions
}
