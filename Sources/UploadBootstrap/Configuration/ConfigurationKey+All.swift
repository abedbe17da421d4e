import UploadNotifier
import Uploads

/// The list of all keys: path, kind and range, default, flag, meaning. Reading, checking and `--check-config` follow
/// this list. A key's value comes from the command line (the key's flag), else from the environment (`UPLOAD_` and the
/// path in capitals: `UPLOAD_WORKER_SLICE`), else from the file. The keys of drivers and of kinds of delegates are
/// declared with their drivers and kinds.
extension ConfigurationKey {
    static let all: [ConfigurationKey] =
        common + destinations + DestinationDrivers.keys + delegates + DelegateKinds.keys + worker + notifier

    private static let common: [ConfigurationKey] = [
        .init(
            "broker", .list(.url(schemes: ["amqp", "amqps"])), standard: "amqp://guest:guest@127.0.0.1:5672/",
            flag: "--broker", "RabbitMQ, one URL or the hosts of one cluster"),
        .init("brokerPassword", .secret, "the broker's password, instead of one in the URL"),
        .init(
            "brokerPatience", .duration(1...3600), standard: "20s",
            "the longest that enqueue-upload waits for the broker before a job goes to the outbox"),
        .init(
            "brokerHeartbeat", .duration(1...600), standard: "20s",
            "how often both ends send a heartbeat; a peer that vanished is noticed after two missing ones"),
        .init(
            "consumerTimeout", .duration(10...(7 * 86_400)), standard: "30m",
            "the broker's consumer_timeout: how long a worker may hold a delivery; a file that goes up in one piece gets two thirds of it"
        ),
        .init("tls.caFile", .path, "authorities that may have signed the broker's certificate (PEM)"),
        .init("tls.certificateFile", .path, "this program's certificate for the broker (PEM)"),
        .init("tls.keyFile", .path, "the key of tls.certificateFile (PEM)"),
        .init("namespace", .name, standard: "upload", flag: "--namespace", "the prefix of all names on the broker"),
        .init(
            "shards", .choice(Shards.counts.map(String.init)), standard: "1",
            "the parts of the namespace's jobs, each with a queue for the notifiers; cannot be changed once made"),
        .init("staging", .path, flag: "--staging", "the staging area, shared by producers and workers"),
        .init("stagingGroup", .text, "the group that the files in the staging area belong to"),
        .init(
            "stagingKeepFailed", .duration(3600...(30 * 86_400)), standard: "7d",
            "how long a failed job's copy is kept"),
        .init(
            "digests", .list(.choice(["sha256"])),
            "what producers compute of all files besides CRC-64/NVME; costs a second or more of a processor for 2 GiB"),
        .init("sourceRoots", .list(.path), "directories from which --no-stage may upload in place"),
        .init(
            "sourceURLs", .list(.url(schemes: ["http", "https"])),
            "http(s) URLs, each with / at its end, below which jobs may read"),
        .init(
            "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            standard: "info", flag: "--log-level", "the least level that is logged"),
        .init("log.format", .choice(["text", "json"]), standard: "text", flag: "--log-format", "how log lines look"),
    ]

    private static let destinations: [ConfigurationKey] = [
        .init("destinations.*.driver", .choice(DestinationDrivers.names), "the driver that sends the bytes"),
        .init("destinations.*.source", .boolean, standard: "false", "whether jobs may read from it"),
        .init(
            "destinations.*.digests", .list(.choice(["sha256"])),
            "what producers compute of its files besides CRC-64/NVME; sha256 by itself where a template has {sha256}"),
        .init("destinations.*.limits.jobs", .integer(1...10_000), "jobs at once, in each worker"),
        .init("destinations.*.limits.parts", .integer(1...1000), "parts of a job at once"),
        .init(
            "destinations.*.limits.bytesPerSecond", .bytes(1024...(1 << 50)),
            "bytes a second of all its jobs together, in each worker"),
        .init(
            "destinations.*.limits.requestsPerSecond", .integer(1...1_000_000),
            "steps a second (a probe, an open, a part, a completion) of all its jobs together, in each worker"),
        .init(
            "destinations.*.retry.maxAttempts", .integer(1...1000),
            "attempts of jobs without a retry policy of their own; 10 if left out"),
        .init(
            "destinations.*.retry.maxAge", .duration(60...RetryPolicy.destinationAgeMaximum),
            "how long such jobs are tried after their first failure; 1d if left out"),
        .init(
            "destinations.*.retry.base", .duration(1...3600),
            "the bound of the first wait, which doubles with each attempt; 2s if left out"),
        .init(
            "destinations.*.retry.cap", .duration(1...86_400), "the longest such wait; 10m if left out"),
        .init(
            "destinations.*.patience", .duration(60...JobLifetime.seconds), standard: "7d",
            "how long jobs wait while the destination is full, away or refuses the credentials, before they fail"),
    ]

    private static let delegates: [ConfigurationKey] = [
        .init("delegates.*.kind", .choice(DelegateKinds.names), "how the notifier delivers outcomes to it"),
        .init(
            "delegates.*.types", .list(.choice(["completed", "failed", "cancelled"])),
            "the outcomes that it gets; all if left out"
        ),
        .init("delegates.*.queues", .list(.name), "only jobs of these transfer queues"),
        .init("delegates.*.destinations", .list(.text), "only jobs to these destinations"),
        .init("delegates.*.batches", .list(.text), "only jobs of these batches"),
        .init("delegates.*.metadata", .list(.text), "only jobs with all of this metadata, KEY=VALUE"),
        .init(
            "delegates.*.fields.*", .text,
            "a field of the data that replaces the whole event: a path in the event, or '=' and a constant"),
        .init(
            "delegates.*.ordered", .boolean,
            "whether a job's outcomes are delivered one after the other; false if left out"),
    ]

    private static let worker: [ConfigurationKey] = [
        .init("worker.queues", .list(.name), standard: "default", flag: "--queue", "the transfer queues it serves"),
        .init(
            "worker.concurrency", .integer(1...1000), standard: "512", flag: "--concurrency",
            "jobs at once at most; the worker finds how many are fastest"),
        .init("worker.parts", .integer(1...100), standard: "4", flag: "--parts", "parts of a job at once"),
        .init(
            "worker.slice", .duration(1...(2 * 86_400)), standard: "5m", flag: "--slice",
            "how long a worker carries a job before it hands the job over; at most a third of consumerTimeout"),
        .init(
            "worker.grace", .duration(1...3600), standard: "25s", flag: "--grace", "how long stopping may take"),
        .init("worker.http", .address, standard: "127.0.0.1:9701", flag: "--http", "health and metrics"),
    ]

    private static let notifier: [ConfigurationKey] = [
        .init(
            "notifier.ledger", .pathOrURL(schemes: LedgerPlace.schemes), flag: "--ledger",
            "the ledger, a SQLite file or a PostgreSQL database"),
        .init("notifier.ledgerPassword", .secret, "the database's password, instead of one in the URL"),
        .init("notifier.allowNetworks", .list(.text), "private networks (CIDR) that webhooks may point to"),
        .init(
            "notifier.sweepAfter", .durationOrOff(3600...(40 * 86_400)), standard: "1d",
            "age at which unfinished uploads that no job names are removed"),
        .init(
            "notifier.keep.jobs", .duration(LedgerRetention.jobsMinimum...LedgerRetention.maximum), standard: "30d",
            "how long ended jobs stay in the ledger"),
        .init(
            "notifier.keep.names", .duration(3600...LedgerRetention.maximum), standard: "30d",
            "how long names, metadata, answers and errors of ended jobs stay there; then they are deleted"),
        .init(
            "notifier.keep.deliveries", .duration(3600...LedgerRetention.maximum), standard: "30d",
            "how long the log of delivery attempts stays there, with the answers of delegates"),
        .init(
            "notifier.keep.deadLetters", .durationOrOff(3600...LedgerRetention.maximum), standard: "off",
            "how long dead letters wait there for an operator; off: until they are replayed or discarded"),
        .init(
            "notifier.http", .address, standard: "127.0.0.1:9700", flag: "--http", "the HTTP API, health and metrics"),
        .init(
            "notifier.token", .secret,
            "the token that requests to the HTTP API carry, 16 or more characters; needed to listen beyond loopback"),
        .init(
            "api", .url(schemes: ["http", "https"]), flag: "--api",
            "where uploadctl finds the notifier's HTTP API; if left out, at notifier.http on this host"),
    ]

    static let tree = ConfigurationKeyTree(all)

    /// The key of a path.
    static func find(_ path: [String]) -> ConfigurationKey? { tree.index(of: path).map { all[$0] } }
}
