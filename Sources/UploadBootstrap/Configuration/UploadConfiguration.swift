public import Foundation
public import UploadNotifier
public import Uploads

/// The checked configuration of all programs; each program uses its own part.
public struct UploadConfiguration: Sendable {
    public struct Broker: Sendable {
        /// `amqp://` or `amqps://`; more than one are the hosts of one cluster.
        public var urls: [String]
        public var password: Secret?
        public var caFile: String?
        public var certificateFile: String?
        public var keyFile: String?
    }

    public struct Worker: Sendable {
        public var queues: [QueueName]
        /// Jobs at once.
        public var concurrency: Int
        /// Parts of a job at once.
        public var parts: Int
        /// Seconds.
        public var slice: TimeInterval
        /// Seconds.
        public var grace: TimeInterval
        public var http: HTTPAddress
    }

    public struct Notifier: Sendable {
        /// The path of a SQLite file, or the URL of a PostgreSQL database.
        public var ledger: String
        public var ledgerPassword: Secret?
        /// CIDR.
        public var allowNetworks: [String]
        /// Seconds until an unfinished upload that no job names is removed; nil for never.
        public var sweepAfter: TimeInterval?
        /// How long the ledger keeps which records.
        public var keep: LedgerRetention
        public var http: HTTPAddress
        /// A token with the role administer, which clients of the API send.
        public var token: Secret?
    }

    public var broker: Broker
    /// Seconds that a producer waits for the broker, for connecting, confirming and closing together, before it treats the broker as away.
    public var brokerPatience: TimeInterval
    /// Seconds between two heartbeats on a connection to the broker.
    public var brokerHeartbeat: TimeInterval
    /// Seconds that the broker lets a worker hold a delivery.
    public var consumerTimeout: TimeInterval
    public var namespace: String
    public var shards: Shards
    public var staging: StagingPlace
    /// The path of the directory with this host's outbox and idempotency keys: the staging area, if that is a directory.
    public var spool: String
    public var stagingGroup: String?
    /// Whether the SHA-256 of all files is computed when they are enqueued.
    public var needsSHA256: Bool
    /// Seconds that a failed job's staged copy is kept.
    public var stagingKeepFailed: TimeInterval
    public var sourceRoots: [String]
    let sourceURLs: SourceURLs
    /// nil when the configuration has no such section: then a producer cannot check the names of destinations.
    var destinations: [DestinationName: DestinationSettings]?
    var delegates: [DelegateSettings]
    public var worker: Worker
    public var notifier: Notifier
    /// The URL of the notifier's HTTP API for its clients; nil: the address of `notifier.http` on this host.
    public var api: String?
    public var logLevel: String
    public var logFormat: String
    /// Oddities that are no errors.
    public var warnings: [String] { settings.warnings }

    let settings: Settings
    let environment: [String: String]

    /// - Throws: `configuration` with every problem found.
    public init(_ input: ConfigurationInput) throws(ProgramError) {
        let settings = try Settings(input)
        self.settings = settings
        environment = input.environment
        broker = Broker(
            urls: settings.list("broker"), password: settings.secret("brokerPassword"),
            caFile: settings.path("tls.caFile"), certificateFile: settings.path("tls.certificateFile"),
            keyFile: settings.path("tls.keyFile"))
        brokerPatience = settings.seconds("brokerPatience") ?? 20
        brokerHeartbeat = settings.seconds("brokerHeartbeat") ?? 20
        consumerTimeout = settings.seconds("consumerTimeout") ?? 1800
        namespace = settings.text("namespace") ?? ""
        shards = settings.text("shards").flatMap { Int($0) }.flatMap { Shards($0) } ?? .one
        staging = settings.staging
        spool = try settings.spool()
        stagingGroup = settings.text("stagingGroup")
        needsSHA256 = settings.list("digests").contains("sha256")
        stagingKeepFailed = settings.seconds("stagingKeepFailed") ?? 7 * 86_400
        sourceRoots = settings.paths("sourceRoots")
        sourceURLs = try SourceURLs(settings.list("sourceURLs"), key: settings.place("sourceURLs"))
        worker = Worker(
            queues: settings.list("worker.queues").map(QueueName.init(unchecked:)),
            concurrency: settings.integer("worker.concurrency") ?? 1, parts: settings.integer("worker.parts") ?? 1,
            slice: try settings.slice(within: consumerTimeout), grace: settings.seconds("worker.grace") ?? 25,
            http: settings.address("worker.http"))
        notifier = Notifier(
            ledger: settings.pathOrURL("notifier.ledger") ?? "",
            ledgerPassword: settings.secret("notifier.ledgerPassword"),
            allowNetworks: settings.list("notifier.allowNetworks"),
            sweepAfter: settings.seconds("notifier.sweepAfter"), keep: settings.retention,
            http: settings.address("notifier.http"), token: settings.secret("notifier.token"))
        api = settings.text("api")
        logLevel = settings.text("log.level") ?? "info"
        logFormat = settings.text("log.format") ?? "text"

        var found: [DestinationName: DestinationSettings] = [:]
        var problems: [String] = []
        for name in settings.names(in: "destinations") {
            do throws(ProgramError) {
                found[DestinationName(unchecked: name)] = try DestinationSettings(name, settings)
            } catch {
                problems += error.problems
            }
        }
        destinations = settings.hasDestinations ? found : nil
        delegates = []
        for name in settings.names(in: "delegates") {
            do throws(ProgramError) {
                delegates.append(try DelegateSettings(name, settings))
            } catch {
                problems += error.problems
            }
        }
        guard problems.isEmpty else { throw ProgramError(.configuration, problems: problems) }
    }

    /// - Parameter name: nil for a destination that is a URL.
    func needsSHA256(at name: DestinationName?) -> Bool {
        needsSHA256 || name.flatMap { destinations?[$0]?.needsSHA256 } == true
    }
}
