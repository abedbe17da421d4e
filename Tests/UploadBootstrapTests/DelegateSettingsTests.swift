import Logging
import Testing
import UploadNotifier
import Uploads

@testable import UploadBootstrap

struct DelegateSettingsTests {
    private let files: Files
    private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws { files = try Files() }

    private func registered(
        _ yaml: String, environment: [String: String] = [:]
    ) throws -> [RegisteredDelegate] {
        try UploadConfiguration(try files.input(yaml, environment: environment))
            .registeredDelegates(queues: BrokerDelegateQueues(), logger: quiet)
    }

    private func problem(_ yaml: String) throws -> String? {
        do {
            _ = try registered(yaml)
            return nil
        } catch let error as ProgramError {
            return error.description
        }
    }

    @Test func `every kind can be configured, with filters, fields, order and limits`() throws {
        let yaml = """
            delegates:
              a:
                kind: webhook
                url: https://hook.example/in
                secret: [env:NEW, env:OLD]
                mode: binary
                timeout: 10s
                concurrency: 3
                ordered: true
                types: [failed]
                queues: [video, default]
                destinations: photos
                batches: nightly
                metadata: [tier=gold, note=a=b]
                fields: {file: subject, done: "=true"}
              b: {kind: queue, concurrency: 9}
              c: {kind: command, command: [/bin/true, "--all"], environment: {KEY: env:NEW}, timeout: 5s}
              d: {kind: log, path: \(files.path)/events.ndjson, rotateBytes: 1MiB, keep: 2}
            """
        let secrets = [
            "NEW": "whsec_" + String(repeating: "aGVs", count: 8),
            "OLD": "whsec_" + String(repeating: "d29y", count: 8),
        ]
        let delegates = try registered(yaml, environment: secrets)
        #expect(delegates.map(\.name) == ["a", "b", "c", "d"])
        let hook = try #require(delegates.first)
        #expect(hook.isOrdered)
        #expect(hook.concurrencyMaximum == 3)
        #expect(
            hook.route
                == DeliveryRoute(
                    delegate: "a", kinds: [.failed],
                    filter: DeliveryFilter(
                        queues: ["video", "default"], destinations: ["photos"], batches: ["nightly"],
                        metadata: ["tier": "gold", "note": "a=b"])))
        #expect(delegates[1].concurrencyMaximum == 9)
        #expect(delegates[1].schedule == .steady)
        #expect(!delegates[2].isOrdered)
        let settings = try UploadConfiguration(try files.input(yaml, environment: secrets)).settings
        let report = ConfigurationReport(settings: settings).text
        #expect(report.contains("    mode: binary"))
        #expect(report.contains("KEY: env:NEW"))
        #expect(!report.contains("whsec_"))
    }

    @Test(arguments: [
        ("{kind: queue, url: 'https://h/'}", "delegates.a.url: is no key of kind 'queue' (but of 'webhook')"),
        ("{kind: command}", "'command' is missing"),
        (
            "{kind: webhook, url: 'https://h/', secret: whsec_c2hvcnQ=}",
            "a secret of delegate 'a' is invalid: it is 5 bytes long and must have 24 to 64"
        ),
        ("{kind: webhook, url: 'https://h/', caFile: none.pem}", "delegates.a.caFile: cannot read"),
        (
            "{kind: webhook, url: 'https://h/', secret: whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz, caFile: /etc/hostname}",
            "its caFile holds no certificates in PEM"
        ),
        ("{kind: command, command: echo}", "'echo' is no absolute path"),
        ("{kind: queue, metadata: [tier]}", "delegates.a.metadata: 'tier': expected KEY=VALUE"),
        ("{kind: queue, fields: {file: data..x}}", "delegates.a.fields.file: field 'file': 'data..x' is no path"),
        ("{kind: queue, feilds: {file: subject}}", "delegates.a.feilds: unknown key; did you mean 'fields'?"),
        (
            "{kind: webhook, url: 'https://h/', mode: batched}",
            "delegates.a.mode: 'batched': expected structured or binary"
        ),
    ])
    func `what is wrong is said with its place and what was expected`(delegate: String, expected: String) throws {
        let problem = try #require(try problem("delegates:\n  a: \(delegate)"))
        #expect(problem.contains(expected), "\(problem)")
        #expect(problem.contains("upload.yaml:"))
    }
}
