import Testing

@testable import UploadBootstrap

struct ConfigurationReportTests {
    private let files: Files

    init() throws { files = try Files() }

    private func report(_ input: ConfigurationInput) throws -> String {
        ConfigurationReport(settings: try Settings(input)).text
    }

    @Test func `every value says where it came from`() throws {
        var input = try files.input("namespace: one\nworker:\n  parts: 3", environment: ["UPLOAD_WORKER_GRACE": "9s"])
        input.set("worker.slice", to: "1m", flag: "--slice")
        let lines = Set(try report(input).split(separator: "\n").map(String.init))
        #expect(lines.contains("# file: upload.yaml"))
        #expect(lines.contains("namespace: one  # upload.yaml:1"))
        #expect(lines.contains("  parts: 3  # upload.yaml:3"))
        #expect(lines.contains("  grace: 9s  # environment UPLOAD_WORKER_GRACE"))
        #expect(lines.contains("  slice: 1m  # command line --slice"))
        #expect(lines.contains("  http: 127.0.0.1:9701  # default"))
    }

    @Test func `a relative path says which one it is`() throws {
        let yaml = """
            staging: stage
            sourceRoots: [/srv, in]
            notifier: {ledger: here.sqlite}
            """
        let lines = Set(try report(try files.input(yaml)).split(separator: "\n").map(String.init))
        #expect(lines.contains("staging: stage  # upload.yaml:1, which is \(files.path)/stage"))
        #expect(lines.contains("sourceRoots: [/srv, in]  # upload.yaml:2, which is /srv, \(files.path)/in"))
        #expect(lines.contains("  ledger: here.sqlite  # upload.yaml:3, which is \(files.path)/here.sqlite"))
        let absolute = try report(try files.input("notifier: {ledger: 'postgres://host/db'}\nstaging: /srv"))
        #expect(!absolute.contains("which is"))
    }

    @Test func `no secret is shown`() throws {
        let yaml = """
            broker: [amqp://jo:hunter1@a/, amqp://jo:hunter2@b/]
            brokerPassword: hunter3
            destinations:
              web: {driver: http, url: https://h/, password: hunter4, headers: {X-Key: hunter5}, bearerToken: env:TOKEN}
            delegates:
              hook: {kind: webhook, url: 'https://jo:hunter6@h/?key=hunter7', secret: [hunter8, file:/run/hook]}
            """
        let text = try report(try files.input(yaml))
        #expect(!text.contains("hunter"))
        #expect(text.contains("amqp://jo:***@a/"))
        #expect(text.contains("bearerToken: env:TOKEN"))
        #expect(text.contains("file:/run/hook"))
    }

    @Test func `what it prints is a configuration again, with the same values`() throws {
        let yaml = """
            broker: amqp://host/
            staging: "/a b #c"
            sourceRoots: ["/x, y", "/z"]
            destinations:
              a: {driver: directory, path: "/p: q"}
              b: {driver: directory, path: '-', limits: {jobs: 2}}
            """
        let first = try Settings(try files.input(yaml))
        let again = try Settings(try files.input(ConfigurationReport(settings: first).text))
        #expect(again.values.mapValues(\.value.items) == first.values.mapValues(\.value.items))
    }
}
