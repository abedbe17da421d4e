import ArgumentParser
import UploadBootstrap
import Uploads

struct EnqueueUploadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enqueue-upload",
        abstract: "Enqueues files for upload and prints one job id a line.",
        usage: "enqueue-upload <path> ... --to <dest> [options]",
        discussion: """
            Files are copied into the staging area, so that you may change or delete the
            originals as soon as the command returns. With exit status 0 every job is
            accepted and will survive a crash of any program.

            With --move each file is removed once its job is accepted. On the staging
            area's file system, a large file is linked there instead of copied. A file
            that changed in the meantime stays.

            In the key of a file whose name is not UTF-8, %FF stands for an invalid byte
            and %25 for a %. A manifest names such a file with {"pathBytes": "base64"}.

            A directory stands for all files in it, hidden ones too, with their relative
            paths as keys, in the order of their names. Links to files are followed,
            links to directories inside a directory are not.

            --include and --exclude choose among the files of a directory. A pattern
            without a slash is for a file's or directory's own name, as in '*.tmp' or
            node_modules; any other one for the whole relative path, as in raw/*.jpg. **
            stands for slashes too. With --skip-errors, files that cannot be read are
            named and skipped, and the exit status is that of the first of them.

            With --changed only files are enqueued that are new at the destination or
            differ from what lies there: by size and time, or with --changed digest by
            their bytes. The destination is listed first, with its settings in this
            host's configuration; s3, directory, webdav and file:/// can be listed.
            Nothing is copied before that, and nothing is removed at the destination.

            A worker fetches an http or https URL, if its configuration allows that
            (sourceURLs), and with --from a key at a destination (source: true). The
            content of a data: URL is enqueued itself.

            A key may have placeholders, as in photos:{date}/{stem}-{sha256}.{ext}:
            {date}, {path}, {name}, {stem}, {ext}, {sha256} and {metadata.x}. Write a
            brace that begins or ends no placeholder twice.

            A manifest has a line for each file: its path, or an object
              {"path": "a b.jpg", "key": "a.jpg", "contentType": "image/jpeg",
               "metadata": {"owner": "jo"}, "ifExists": "skip", "verify": true}
            on one line; path is required. Other fields are cacheControl,
            contentDisposition, contentEncoding, contentLanguage, storageClass, tags,
            notBefore, expiresAt, batch and idempotencyKey.

            With --if-exists skip, fail or rename, an object that lies there already is
            never replaced, if the destination has conditional writes. With skip the
            upload completes and keeps that object, with fail it fails, and with rename
            the file goes beside it as cat-1.jpg.

            Jobs of a queue that are enqueued with --serial form its serial line: each
            begins when the one before it has ended, however it ended. A job that is
            paused, or must not start yet, delays the jobs behind it. While
            upload-notifier is down the line does not advance.

            With --wait, Ctrl-C, SIGTERM or the end of the terminal ends the waiting, and
            the uploads go on; under nohup the end of the terminal changes nothing.

            With --verify a worker reads each object back from the destination and
            compares it with the enqueued file. If they differ, it uploads the file
            again, and the upload fails when its attempts are used up.
            """,
        version: ProgramVersion.line(of: "enqueue-upload"))

    /// The end of `--help`.
    static let examples = """
        EXAMPLES
          enqueue-upload cat.jpg --to photos:2026/11/
          enqueue-upload cat.jpg --to photos:pets/tom.jpg --wait
          enqueue-upload *.jpg --to 'photos:{date}/{name}' --if-exists rename
          enqueue-upload holiday/ --to file:///srv/archive/holiday/
          enqueue-upload site/ --to web: --exclude .git --exclude '*.tmp' --skip-errors
          enqueue-upload site/ --to web: --changed --dry-run
          pg_dump shop | enqueue-upload - --to backups:shop.sql
          find . -name '*.log' | enqueue-upload --manifest - --to logs:
          enqueue-upload cat.jpg --to 'https://host/cat.jpg?signature=…' -o json
          enqueue-upload 1.log 2.log 3.log --to logs: --queue ship --serial
          enqueue-upload --from photos 2026/11/cat.jpg --to file:///home/jo/
          enqueue-upload big.iso --to archive: --after 10m --expires-in 2d

        EXIT STATUS
          0 done, 1 an upload failed (--wait), 64 usage, 65 bad input, 66 no such
          file, 69 broker unavailable, 74 read or write error, 77 refused,
          78 configuration, 130 interrupted
        """

    @Argument(help: ArgumentHelp("Files, directories, URLs, or - for standard input.", valueName: "path"))
    var paths: [FilePath] = []

    @Option(help: ArgumentHelp("Destination whose keys the paths are, to copy or download.", valueName: "name"))
    var from: String?

    @Option(help: ArgumentHelp("NAME:KEY, NAME:PREFIX/, NAME:, https://… or file:///…", valueName: "dest"))
    var to: String?

    @Option(help: ArgumentHelp("Transfer queue (default: default).", valueName: "name"))
    var queue: String?

    @Option(help: ArgumentHelp("urgent, normal or bulk (default: normal).", valueName: "lane"))
    var priority: String?

    @Option(help: ArgumentHelp("Media type (default: by the file's extension).", valueName: "type"))
    var contentType: String?

    @Option(help: ArgumentHelp("Stored with the object, sent in events; repeatable.", valueName: "key=value"))
    var metadata: [String] = []

    @Option(help: ArgumentHelp("Cache-Control of the object.", valueName: "value"))
    var cacheControl: String?

    @Option(help: ArgumentHelp("Content-Disposition of the object.", valueName: "value"))
    var contentDisposition: String?

    @Option(help: ArgumentHelp("Content-Encoding that the file has; nothing is encoded.", valueName: "value"))
    var contentEncoding: String?

    @Option(help: ArgumentHelp("Content-Language of the object.", valueName: "value"))
    var contentLanguage: String?

    @Option(help: ArgumentHelp("S3 storage class.", valueName: "class"))
    var storageClass: String?

    @Option(help: ArgumentHelp("S3 object tag, at most 10; repeatable.", valueName: "key=value"))
    var tag: [String] = []

    @Option(help: ArgumentHelp("If an object exists: skip, fail, rename or replace (default).", valueName: "what"))
    var ifExists: String?

    @Option(help: ArgumentHelp("Only such files of a directory; repeatable.", valueName: "pattern"))
    var include: [String] = []

    @Option(help: ArgumentHelp("No such files or directories of a directory; repeatable.", valueName: "pattern"))
    var exclude: [String] = []

    @Option(help: ArgumentHelp("Only new and changed files, by size,mtime (default) or digest.", valueName: "test"))
    var changed: String?

    @Flag(help: "Name and skip files of a directory that cannot be read.")
    var skipErrors = false

    @Flag(help: "Read the object back and compare it before it counts as completed.")
    var verify = false

    @Flag(help: "Compute the SHA-256 of the files, too; events have it.")
    var sha256 = false

    @Flag(help: "Remove each file once its job is accepted.")
    var move = false

    @Flag(help: "Upload from where the file lies instead of a copy.")
    var noStage = false

    @Option(help: ArgumentHelp("Attempts before it is given up (default: 10).", valueName: "n"))
    var maxAttempts: Int?

    @Option(help: ArgumentHelp("Start after this long, as in 10m; 30d at most.", valueName: "duration"))
    var after: String?

    @Option(help: ArgumentHelp("Start at this time, local or RFC 3339.", valueName: "time"))
    var at: String?

    @Option(help: ArgumentHelp("Give up after this long from now, as in 1d.", valueName: "duration"))
    var expiresIn: String?

    @Option(help: ArgumentHelp("A name for jobs that belong together.", valueName: "name"))
    var batch: String?

    @Option(help: ArgumentHelp("Uploads with the same key count as one.", valueName: "key"))
    var idempotencyKey: String?

    @Flag(help: "Put the jobs into the queue's serial line, in order.")
    var serial = false

    @Option(help: ArgumentHelp("With --serial: before the nth waiting job; 0 is next.", valueName: "n"))
    var insertAt: Int?

    @Flag(help: "Fail while the broker is away, instead of keeping the jobs.")
    var noOutbox = false

    @Option(help: ArgumentHelp("File with one upload a line, or -.", valueName: "file"))
    var manifest: FilePath?

    @Flag(help: "Wait for the outcomes and show progress.")
    var wait = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Job ids, a JSON array, or a JSON object a line.", valueName: "format"))
    var output = ListingFormat.ids

    @Flag(help: "List what would be enqueued, and stop.")
    var dryRun = false

    @OptionGroup(title: "COMMON OPTIONS") var common: CommonOptions
}
