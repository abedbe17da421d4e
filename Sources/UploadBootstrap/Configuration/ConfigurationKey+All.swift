import UploadNotifier
import Uploads

/// The list of all keys: path, kind and range, default, flag, programs, meaning. Reading, checking, `--check-config` and the page *Configuration*
/// follow this list. A key's value comes from the command line (the key's flag), else from the environment (`UPLOAD_` and the
/// path in capitals: `UPLOAD_WORKER_SLICE`), else from the file. The keys of drivers and of kinds of delegates are
/// declared with their drivers and kinds.
extension ConfigurationKey {
    static let all: [ConfigurationKey] =
        broker + files + logs + destinations + DestinationDrivers.keys + delegates + DelegateKinds.keys + worker
        + notifier + tokens

    static let broker: [ConfigurationKey] = [
        .init(
            "broker", .list(.url(schemes: ["amqp", "amqps"])), standard: "amqp://guest:guest@127.0.0.1:5672/",
            flag: "--broker", "RabbitMQ, one URL or the hosts of one cluster"),
        .init("brokerPassword", .secret, "the broker's password, instead of one in the URL"),
        .init(
            "brokerPatience", .duration(1...3600), standard: "20s", for: [.enqueueUpload],
            "the longest that enqueue-upload waits for the broker before a job goes to the outbox"),
        .init(
            "brokerHeartbeat", .duration(1...600), standard: "20s",
            "how often both ends send a heartbeat; a peer that vanished is noticed after two missing ones"),
        .init(
            "consumerTimeout", .duration(10...(7 * 86_400)), standard: "30m", for: [.uploadWorker],
            "the broker's consumer_timeout: how long a worker may hold a delivery; a file that goes up in one piece gets two thirds of it"
        ),
        .init("tls.caFile", .path, "authorities that may have signed the broker's certificate (PEM)"),
        .init("tls.certificateFile", .path, "this program's certificate for the broker (PEM)"),
        .init("tls.keyFile", .path, "the key of tls.certificateFile (PEM)"),
        .init("namespace", .name, standard: "upload", flag: "--namespace", "the prefix of all names on the broker"),
        .init(
            "shards", .choice(Shards.counts.map(String.init)), standard: "1",
            "the parts of the namespace's jobs, each with a queue for the notifiers; cannot be changed once made"),
    ]

    static let files: [ConfigurationKey] = [
        .init(
            "staging", .staging, flag: "--staging", for: [.enqueueUpload, .uploadWorker, .uploadNotifier],
            "the staging area: a directory that producers and workers share, or a place at a destination; none where no file is staged"
        ),
        .init(
            "spool", .path, for: [.enqueueUpload, .uploadWorker, .uploadNotifier],
            "the directory of this host for outbox, idempotency keys and drafts; not used where the staging area is a directory"
        ),
        .init(
            "stagingGroup", .text, for: [.enqueueUpload, .uploadWorker],
            "the group that the files in the staging area belong to"),
        .init(
            "stagingKeepFailed", .duration(3600...(30 * 86_400)), standard: "7d", for: [.uploadNotifier],
            "how long a failed job's copy is kept"),
        .init(
            "digests", .list(.choice(["sha256"])), for: [.enqueueUpload],
            "what producers compute of all files besides CRC-64/NVME; costs a second or more of a processor for 2 GiB"),
        .init(
            "sourceRoots", .list(.path), for: [.uploadWorker],
            "directories from which --no-stage may upload in place"),
        .init(
            "sourceURLs", .list(.url(schemes: ["http", "https"])), for: [.uploadWorker], isReloaded: true,
            "http(s) URLs, each with / at its end, below which jobs may read"),
    ]

    static let logs: [ConfigurationKey] = [
        .init(
            "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            standard: "info", flag: "--log-level",
            "the least level that is logged; the default of commands is error, of ledger copy warning"),
        .init("log.format", .choice(["text", "json"]), standard: "text", flag: "--log-format", "how log lines look"),
    ]

    static let destinations: [ConfigurationKey] = [
        .destination("driver", .choice(DestinationDrivers.names), "the driver that sends the bytes"),
        .destination(
            "source", .boolean, standard: "false", for: [.uploadWorker], "whether jobs may read from it"),
        .destination(
            "digests", .list(.choice(["sha256"])), for: [.enqueueUpload],
            "what producers compute of its files besides CRC-64/NVME; sha256 by itself where a template has {sha256}"),
        .destination(
            "limits.jobs", .integer(1...10_000), for: limiting, "jobs at once, in each worker"),
        .destination(
            "limits.parts", .integer(1...1000), for: limiting,
            "parts of a job at once; worker.parts where that is less"),
        .destination(
            "limits.bytesPerSecond", .bytes(1024...(1 << 50)), for: limiting,
            "bytes a second of all its jobs together, in each worker"),
        .destination(
            "limits.requestsPerSecond", .integer(1...1_000_000), for: limiting,
            "steps a second (a probe, an open, a part, a completion) of all its jobs together, in each worker"),
        .destination(
            "retry.maxAttempts", .integer(1...1000), standard: "10", for: [.uploadWorker],
            "attempts of jobs without a retry policy of their own"),
        .destination(
            "retry.maxAge", .duration(60...RetryPolicy.destinationAgeMaximum), standard: "1d", for: [.uploadWorker],
            "how long such jobs are tried after their first failure"),
        .destination(
            "retry.base", .duration(1...3600), standard: "2s", for: [.uploadWorker],
            "the bound of the first wait, which doubles with each attempt"),
        .destination(
            "retry.cap", .duration(1...86_400), standard: "10m", for: [.uploadWorker], "the longest such wait"),
        .destination(
            "patience", .duration(60...JobLifetime.seconds), standard: "7d", for: [.uploadWorker],
            "how long jobs wait while the destination is full, away or refuses the credentials, before they fail"),
    ]

    /// The worker keeps the limits, and the notifier shows them.
    private static let limiting: Set<ProgramName> = [.uploadWorker, .uploadNotifier]

    static let delegates: [ConfigurationKey] = [
        .delegate(
            "kind", .choice(DelegateKinds.names), for: [.uploadNotifier, .uploadctl],
            "how the notifier delivers outcomes to it; uploadctl topology declares the queues of delegates of kind queue"
        ),
        .delegate(
            "types", .list(.choice(["completed", "failed", "cancelled"])),
            "the outcomes that it gets; all if left out"),
        .delegate("queues", .list(.name), "only jobs of these transfer queues"),
        .delegate("destinations", .list(.text), "only jobs to these destinations"),
        .delegate("batches", .list(.text), "only jobs of these batches"),
        .delegate("metadata", .list(.text), "only jobs with all of this metadata, KEY=VALUE"),
        .delegate(
            "fields.*", .text,
            "a field of the data that replaces the whole event: a path in the event, or '=' and a constant"),
        .delegate(
            "ordered", .boolean, standard: "false", "whether a job's outcomes are delivered one after the other"),
    ]

    static let worker: [ConfigurationKey] = [
        .init(
            "worker.queues", .list(.name), standard: "default", flag: "--queue", for: [.uploadWorker, .uploadctl],
            "the transfer queues it serves; uploadctl topology includes their lanes"),
        .init(
            "worker.concurrency", .integer(1...1000), standard: "512", flag: "--concurrency", for: [.uploadWorker],
            "jobs at once at most; the worker finds how many are fastest"),
        .init(
            "worker.parts", .integer(1...100), standard: "4", flag: "--parts", for: [.uploadWorker],
            "parts of a job at once"),
        .init(
            "worker.slice", .duration(1...(2 * 86_400)), standard: "5m", flag: "--slice", for: [.uploadWorker],
            "how long a worker carries a job before it hands the job over; at most a third of consumerTimeout"),
        .init(
            "worker.grace", .duration(1...3600), standard: "25s", flag: "--grace", for: [.uploadWorker],
            "how long stopping may take"),
        .init(
            "worker.http", .address, standard: "127.0.0.1:9701", flag: "--http", for: [.uploadWorker],
            "health and metrics; a worker that has the default takes a free port where this one is taken"),
    ]

    static let notifier: [ConfigurationKey] = [
        .init(
            "notifier.ledger", .pathOrURL(schemes: LedgerPlace.schemes), flag: "--ledger", for: asking,
            "the ledger, a SQLite file or a PostgreSQL database"),
        .init(
            "notifier.ledgerPassword", .secret, for: asking, "the database's password, instead of one in the URL"),
        .init(
            "notifier.allowNetworks", .list(.text), for: [.uploadNotifier], isReloaded: true,
            "private networks (CIDR) that webhooks may point to"),
        .init(
            "notifier.sweepAfter", .durationOrOff(3600...(40 * 86_400)), standard: "1d", for: [.uploadNotifier],
            "age at which unfinished uploads that no job names are removed"),
        .init(
            "notifier.keep.jobs", .duration(LedgerRetention.jobsMinimum...LedgerRetention.maximum), standard: "30d",
            for: [.uploadNotifier], "how long ended jobs stay in the ledger"),
        .init(
            "notifier.keep.names", .duration(3600...LedgerRetention.maximum), standard: "30d", for: [.uploadNotifier],
            "how long names, metadata, answers and errors of ended jobs stay there; then they are deleted"),
        .init(
            "notifier.keep.deliveries", .duration(3600...LedgerRetention.maximum), standard: "30d",
            for: [.uploadNotifier],
            "how long the log of delivery attempts stays there, with the answers of delegates"),
        .init(
            "notifier.keep.deadLetters", .durationOrOff(3600...LedgerRetention.maximum), standard: "off",
            for: [.uploadNotifier],
            "how long dead letters wait there for an operator; off: until they are replayed or discarded"),
        .init(
            "notifier.keep.audit", .duration(86_400...LedgerRetention.maximum), standard: "365d",
            for: [.uploadNotifier], "how long the audit log keeps what operators have ordered"),
        .init(
            "notifier.http", .address, standard: "127.0.0.1:9700", flag: "--http", for: asking,
            "the HTTP API, health and metrics"),
        .init(
            "notifier.token", .secret, for: asking, isReloaded: true,
            "a token of 16 or more characters with the role administer, which uploadctl sends to the HTTP API; to listen beyond "
                + "loopback, the notifier needs this or one of tokens"),
        .init(
            "api", .url(schemes: ["http", "https"]), flag: "--api", for: [.uploadctl],
            "where uploadctl finds the notifier's HTTP API; if left out, at notifier.http on this host"),
    ]

    static let tokens: [ConfigurationKey] = [
        .init(
            "tokens.*.token", .secret, for: [.uploadNotifier], isReloaded: true,
            "the text that requests carry, 16 or more characters; two texts with a space or a line end between them both count "
                + "while one replaces the other"),
        .init(
            "tokens.*.role", .choice(APIRole.allCases.map(\.rawValue)), for: [.uploadNotifier], isReloaded: true,
            "what its holder may do: see everything, give orders about jobs and queues, or also register delegates, forget jobs and "
                + "make backups"),
        .init(
            "tokens.*.queues", .list(.name), for: [.uploadNotifier], isReloaded: true,
            "the transfer queues whose jobs its holder may change; all if left out"),
    ]

    /// The notifier has its ledger and its API, and `uploadctl` looks there.
    private static let asking: Set<ProgramName> = [.uploadNotifier, .uploadctl]

    static let tree = ConfigurationKeyTree(all)

    /// The key of a path.
    static func find(_ path: [String]) -> ConfigurationKey? { tree.index(of: path).map { all[$0] } }
}
