import RabbitMQ
import Testing
import UploadDestinations
import UploadNotifier
import Uploads

@testable import UploadBootstrap

struct ConfigurationLayerTests {
    private let files: Files

    init() throws { files = try Files() }

    private func directory(_ settings: DestinationSettings?) throws -> DirectoryConfiguration {
        try #require(settings?.driver as? DirectorySettings).configuration
    }

    @Test func `without anything the defaults hold and the state directory is the user's`() throws {
        let configuration = try UploadConfiguration(
            ConfigurationInput(file: nil, environment: ["HOME": "/home/jo"], directory: files.path))
        #expect(configuration.broker.urls == ["amqp://guest:guest@127.0.0.1:5672/"])
        #expect(configuration.namespace == "upload")
        #expect(configuration.staging == .directory("/home/jo/.local/state/longshore/staging"))
        #expect(configuration.notifier.ledger == "/home/jo/.local/state/longshore/ledger.sqlite")
        #expect(configuration.worker.http == .listen(host: "127.0.0.1", port: 9701))
        #expect(configuration.notifier.sweepAfter == 86_400)
        #expect(configuration.notifier.http == .listen(host: "127.0.0.1", port: 9700))
        #expect(configuration.worker.slice == 300)
        #expect(configuration.consumerTimeout == 1800)
        #expect(try configuration.connection(for: "test").heartbeat == .seconds(20))
        #expect(configuration.worker.grace == 25)
        #expect(configuration.destinations == nil)
    }

    @Test func `the heartbeat is what the configuration says`() throws {
        let configuration = try UploadConfiguration(try files.input("brokerHeartbeat: 7s"))
        #expect(try configuration.connection(for: "test").heartbeat == .seconds(7))
    }

    @Test func `the sweep can be put off, and switched off`() throws {
        let later = try UploadConfiguration(try files.input("notifier: {sweepAfter: 3d}"))
        #expect(later.notifier.sweepAfter == 259_200)
        #expect(try UploadConfiguration(try files.input("notifier: {sweepAfter: off}")).notifier.sweepAfter == nil)
    }

    @Test func `what the ledger keeps, and how long, can be said for each kind`() throws {
        let day = 86_400.0
        let usual = try UploadConfiguration(try files.input("namespace: upload")).notifier.keep
        #expect(usual == LedgerRetention(jobs: 30 * day, names: 30 * day, deliveries: 30 * day, deadLetters: nil))
        let keep = try UploadConfiguration(
            try files.input("notifier: {keep: {jobs: 90d, names: 1h, deliveries: 2d, deadLetters: 7d}}")
        ).notifier.keep
        #expect(keep == LedgerRetention(jobs: 90 * day, names: 3600, deliveries: 2 * day, deadLetters: 7 * day))
    }

    @Test func `the ledger is a file, or a database with its password apart`() throws {
        let file = try UploadConfiguration(try files.input("notifier: {ledger: state/ledger.sqlite}"))
        #expect(try file.ledgerPlace() == .file(path: "\(files.path)/state/ledger.sqlite"))
        let url = "postgres://jo:hush@db.example/upload"
        let input = try files.input(
            "notifier: {ledger: \"\(url)\", ledgerPassword: env:LEDGER}", environment: ["LEDGER": "quiet"])
        let database = try UploadConfiguration(input)
        #expect(try database.ledgerPlace() == .postgreSQL(url: url, password: "quiet"))
        #expect(try database.ledgerPlace().description == "db.example:5432/upload as jo")
        let report = ConfigurationReport(settings: database.settings).text
        #expect(report.contains("postgres://jo:***@db.example/upload") && !report.contains("hush"), "\(report)")
        let wrong = try UploadConfiguration(try files.input("notifier: {ledger: \"postgres://db/upload?no=1\"}"))
        let error = #expect(throws: ProgramError.self) { try wrong.ledgerPlace() }
        #expect(error?.problems.first?.contains("upload.yaml:1: notifier.ledger: ") == true, "\(error?.problems ?? [])")
        let missing = try UploadConfiguration(
            try files.input("notifier: {ledger: \"\(url)\", ledgerPassword: env:LEDGER}"))
        #expect(throws: ProgramError.self) { try missing.ledgerPlace() }
    }

    @Test func `XDG_STATE_HOME moves the state`() throws {
        let configuration = try UploadConfiguration(
            ConfigurationInput(environment: ["XDG_STATE_HOME": "/state"], directory: files.path))
        #expect(configuration.staging == .directory("/state/longshore/staging"))
        #expect(configuration.spool == "/state/longshore/staging")
    }

    @Test func `a staging area that is a directory holds the outbox, and the spool holds it without one`() throws {
        let environment = ["XDG_STATE_HOME": "/state"]
        let none = try UploadConfiguration(try files.input("staging: none", environment: environment))
        #expect(none.staging == .none && none.spool == "/state/longshore/spool")
        let named = try UploadConfiguration(try files.input("staging: none\nspool: jobs"))
        #expect(named.spool == "\(files.path)/jobs")
        #expect(
            try UploadConfiguration(try files.input("staging: ./none")).staging == .directory("\(files.path)/./none"))
        let error = #expect(throws: ProgramError.self) {
            try UploadConfiguration(try files.input("staging: /area\nspool: jobs"))
        }
        #expect(error?.description.contains("upload.yaml:2: spool: the staging area /area holds the outbox") == true)
    }

    @Test func `the command line comes before the environment, the environment before the file`() throws {
        let yaml = """
            namespace: one
            worker: {slice: 1m, grace: 10s, parts: 2}
            """
        var input = try files.input(
            yaml, environment: ["UPLOAD_WORKER_SLICE": "2m", "UPLOAD_WORKER_GRACE": "20s", "UPLOAD_NAMESPACE": ""])
        input.set("worker.slice", to: "3m", flag: "--slice")
        let configuration = try UploadConfiguration(input)
        #expect(configuration.worker.slice == 180)
        #expect(configuration.worker.grace == 20)
        #expect(configuration.worker.parts == 2)
        #expect(configuration.namespace == "one", "an empty variable is none")
        #expect(configuration.settings.values["worker.slice"]?.origin == .commandLine(flag: "--slice"))
        #expect(
            configuration.settings.values["worker.grace"]?.origin == .environment(variable: "UPLOAD_WORKER_GRACE"))
        #expect(configuration.settings.values["worker.parts"]?.origin == .file(path: "upload.yaml", line: 2))
        #expect(configuration.settings.values["worker.http"]?.origin == .standard)
    }

    @Test func `lists come from a list, a single value, or commas in the environment`() throws {
        let one = try UploadConfiguration(try files.input("broker: amqp://a/\nworker: {queues: [x, y]}"))
        #expect(one.broker.urls == ["amqp://a/"])
        #expect(one.worker.queues.map(\.rawValue) == ["x", "y"])
        let two = try UploadConfiguration(
            try files.input("broker: [amqp://a/, amqp://b/]", environment: ["UPLOAD_WORKER_QUEUES": "p, q"]))
        #expect(two.broker.urls == ["amqp://a/", "amqp://b/"])
        #expect(two.worker.queues.map(\.rawValue) == ["p", "q"])
    }

    @Test func `destinations are read whole, with their limits`() throws {
        let yaml = """
            destinations:
              archive: {driver: directory, path: archive}
              web:
                driver: http
                url: https://host/dir/
                headers: {X-Team: blue}
                bearerToken: env:TOKEN
                limits: {jobs: 8, parts: 4, bytesPerSecond: 100MiB, requestsPerSecond: 200}
            """
        let destinations = try #require(try UploadConfiguration(try files.input(yaml)).destinations)
        let archive = try #require(destinations[DestinationName(unchecked: "archive")])
        #expect(try directory(archive) == DirectoryConfiguration(path: "\(files.path)/archive"))
        let web = try #require(destinations[DestinationName(unchecked: "web")])
        #expect(
            web.limits
                == TransferLimits(jobs: 8, parts: 4, bytesPerSecond: 100 << 20, requestsPerSecond: 200))
        let http = try #require(web.driver as? HTTPSettings).web
        #expect(http.url == "https://host/dir/")
        #expect(http.headers == ["X-Team": .literal("blue")])
        #expect(http.bearerToken == .environment(variable: "TOKEN"))
    }

    @Test func `the environment changes a destination of the file and can add one`() throws {
        let configuration = try UploadConfiguration(
            try files.input(
                "destinations: {old-one: {driver: directory, path: /a}}",
                environment: [
                    "UPLOAD_DESTINATIONS_OLD_ONE_PATH": "/b", "UPLOAD_DESTINATIONS_FRESH_DRIVER": "directory",
                    "UPLOAD_DESTINATIONS_FRESH_PATH": "/c",
                ]))
        #expect(
            try directory(configuration.destinations?[DestinationName(unchecked: "old-one")])
                == DirectoryConfiguration(path: "/b"))
        #expect(
            try directory(configuration.destinations?[DestinationName(unchecked: "fresh")])
                == DirectoryConfiguration(path: "/c"))
        #expect(configuration.destinations?.count == 2)
    }

    @Test func `paths in a file are relative to the file`() throws {
        try files.write("etc/own.yaml", "staging: area\nsourceRoots: [in, /abs]")
        let configuration = try UploadConfiguration(
            ConfigurationInput(file: "\(files.path)/etc/own.yaml", environment: [:], directory: "/"))
        #expect(configuration.staging == .directory("\(files.path)/etc/area"))
        #expect(configuration.sourceRoots == ["\(files.path)/etc/in", "/abs"])
    }

    @Test func `an empty destinations section is known to be empty`() throws {
        #expect(try UploadConfiguration(try files.input("destinations:")).destinations?.isEmpty == true)
    }
}
