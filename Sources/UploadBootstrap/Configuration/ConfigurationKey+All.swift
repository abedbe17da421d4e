/// The list of all keys: path, kind and range, default, flag, meaning. Reading, checking, `--check-config` and the
/// documentation go by it. A key may come from the command line (its flag), the environment
/// (`UPLOAD_` and the path in capitals: `UPLOAD_WORKER_SLICE`), or the file, in this order.
extension ConfigurationKey {
    static let all: [ConfigurationKey] = common + destinations + delegates + worker + notifier

    private static let common: [ConfigurationKey] = [
        .init(
            "broker", .list(.url(schemes: ["amqp", "amqps"])), standard: "amqp://guest:guest@127.0.0.1:5672/",
            flag: "--broker", "RabbitMQ, one URL or the hosts of one cluster"),
        .init("brokerPassword", .secret, "the broker's password, instead of one in the URL"),
        .init("tls.caFile", .path, "authorities that may have signed the broker's certificate (PEM)"),
        .init("tls.certificateFile", .path, "this program's certificate for the broker (PEM)"),
        .init("tls.keyFile", .path, "the key of tls.certificateFile (PEM)"),
        .init("namespace", .name, standard: "upload", flag: "--namespace", "what all names on the broker begin with"),
        .init("staging", .path, flag: "--staging", "the staging area, shared by producers and workers"),
        .init("stagingGroup", .text, "the group that the files in the staging area belong to"),
        .init("sourceRoots", .list(.path), "directories from which --no-stage may upload in place"),
        .init(
            "log.level", .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            standard: "info", flag: "--log-level", "the least level that is logged"),
        .init("log.format", .choice(["text", "json"]), standard: "text", flag: "--log-format", "how log lines look"),
    ]

    private static let destinations: [ConfigurationKey] = [
        .init("destinations.*.driver", .choice(DestinationSettings.drivers), "how the bytes get there"),
        .init("destinations.*.path", .path, owner: "directory", "the directory, which must exist"),
        .init(
            "destinations.*.url", .url(schemes: ["http", "https"]), owner: "http",
            "what keys are appended to, ends in /"),
        .init("destinations.*.username", .text, owner: "http", "user for Basic authentication"),
        .init("destinations.*.password", .secret, owner: "http", "password for Basic authentication"),
        .init("destinations.*.bearerToken", .secret, owner: "http", "token for Bearer authentication"),
        .init("destinations.*.headers.*", .secret, owner: "http", "a header of every request"),
        .init("destinations.*.answersHead", .boolean, owner: "http", "whether HEAD tells what lies there"),
        .init("destinations.*.caFile", .path, owner: "http", "authorities that may have signed the certificate (PEM)"),
        .init("destinations.*.limits.jobs", .integer(1...10_000), "jobs at once, in each worker"),
        .init("destinations.*.limits.parts", .integer(1...1000), "parts of a job at once"),
    ]

    private static let delegates: [ConfigurationKey] = [
        .init("delegates.*.kind", .choice(DelegateSettings.kinds), "how it is told"),
        .init(
            "delegates.*.types", .list(.choice(["completed", "failed", "cancelled"])), "which outcomes; all if left out"
        ),
        .init("delegates.*.url", .url(schemes: ["https", "http"]), owner: "webhook", "where outcomes are posted"),
        .init("delegates.*.secret", .list(.secret), owner: "webhook", "signs what is posted (Standard Webhooks)"),
        .init("delegates.*.path", .path, owner: "log", "the file that outcomes are appended to"),
        .init(
            "delegates.*.rotateBytes", .bytes(4096...(1 << 50)), owner: "log",
            "a new file is begun after this size; 64MiB if left out"),
    ]

    private static let worker: [ConfigurationKey] = [
        .init("worker.queues", .list(.name), standard: "default", flag: "--queue", "the transfer queues it serves"),
        .init("worker.concurrency", .integer(1...1000), standard: "16", flag: "--concurrency", "jobs at once"),
        .init("worker.parts", .integer(1...100), standard: "4", flag: "--parts", "parts of a job at once"),
        .init(
            "worker.slice", .duration(1...1500), standard: "5m", flag: "--slice",
            "how long a job is carried before it is handed over"),
        .init(
            "worker.grace", .duration(1...3600), standard: "25s", flag: "--grace", "how long stopping may take"),
        .init("worker.http", .address, standard: "127.0.0.1:9701", flag: "--http", "health and metrics"),
    ]

    private static let notifier: [ConfigurationKey] = [
        .init("notifier.ledger", .path, flag: "--ledger", "the ledger, a SQLite file"),
        .init("notifier.allowNetworks", .list(.text), "private networks (CIDR) that webhooks may point to"),
        .init("notifier.http", .address, standard: "127.0.0.1:9700", flag: "--http", "health and metrics"),
    ]

    /// The key of a path.
    static func find(_ path: [String]) -> ConfigurationKey? { all.first { $0.matches(path) } }

    /// The names that may stand below a path, as far as they are given: for suggestions.
    static func names(below path: [String]) -> Set<String> {
        var names: Set<String> = []
        for components in all.map(\.components) where components.count > path.count {
            if zip(components, path).allSatisfy({ $0 == "*" || $0 == $1 }) { names.insert(components[path.count]) }
        }
        return names
    }
}
