import Foundation
import Testing
import UploadTesting

/// `deploy/compose.yaml`: read by the schema of Compose, by the programs and by Prometheus's own tool.
@Suite(.timeLimit(.minutes(10))) struct ComposeTests {
    private typealias Object = [String: Any]

    private static let file = Checkout.file("deploy/compose.yaml").path

    private func pool() async throws -> Object {
        try #require(try await YAMLFile.documents(of: Self.file).first as? Object)
    }

    private func content(of name: String, in pool: Object) throws -> String {
        let configs = try #require(pool["configs"] as? [String: Object])
        return try #require(configs[name]?["content"] as? String)
    }

    @Test func theSchemaOfComposeTakesTheFile() async throws {
        try await Spawn.output(
            of: TestProgram.path("check-jsonschema"), ["--builtin-schema", "vendor.compose-spec", Self.file])
        let pool = try await pool()
        let services = try #require(pool["services"] as? [String: Object])
        // Each configuration, volume and file that a service names is there.
        for (name, service) in services {
            for use in service["configs"] as? [Object] ?? [] {
                let source = try #require(use["source"] as? String)
                #expect((pool["configs"] as? Object)?[source] != nil, "\(name): \(source)")
            }
            for volume in service["volumes"] as? [String] ?? [] {
                let source = String(volume.split(separator: ":")[0])
                let isThere =
                    source.hasPrefix("./")
                    ? FileManager.default.fileExists(atPath: Checkout.file("deploy/\(source.dropFirst(2))").path)
                    : (pool["volumes"] as? Object)?.keys.contains(source) == true
                #expect(isThere, "\(name): \(source)")
            }
        }
    }

    @Test func theProgramsTakeTheConfigurationAndHaveTheTimeToStop() async throws {
        let scratch = try TemporaryDirectory()
        let pool = try await pool()
        let file = try scratch.write(content(of: "upload", in: pool), to: "upload.yaml")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let services = try #require(pool["services"] as? [String: Object])
        var grace = 0
        for (service, program) in [("worker", Program.worker), ("notifier", .notifier), ("second-notifier", .notifier)]
        {
            let command = try #require(services[service]?["command"] as? [String])
            #expect(command == [program.rawValue, "--config", "/etc/longshore/upload.yaml"])
            let worker = try #require(try await YAMLFile.settings(of: program, file.path)["worker"] as? Object)
            let text = try #require(worker["grace"] as? String)
            grace = try #require(Int(text.dropLast()), "\(text)")
        }
        let stops = try #require(services["worker"]?["stop_grace_period"] as? String)
        #expect(stops == "\(grace + 15)s")
    }

    @Test func prometheusScrapesThePoolAndGrafanaFindsPrometheus() async throws {
        let scratch = try TemporaryDirectory()
        let pool = try await pool()
        let rules = Checkout.file("deploy/monitoring/rules.yaml").path
        let scraping = try content(of: "prometheus", in: pool)
            .replacing("/etc/prometheus/rules.yaml", with: rules)
        let file = try scratch.write(scraping, to: "prometheus.yml")
        try await Spawn.output(of: TestProgram.path("promtool"), ["check", "config", file.path])
        #expect(scraping.contains("port: 9701") && scraping.contains("'notifier:9700'"))
        let sources = try scratch.write(content(of: "datasources", in: pool), to: "datasources.yaml")
        let found = try await YAMLFile.documents(of: sources.path).first as? Object
        let source = try #require((found?["datasources"] as? [Object])?.first)
        let services = try #require(pool["services"] as? [String: Object])
        let host = URL(string: try #require(source["url"] as? String))?.host()
        #expect(services[try #require(host)] != nil)
    }
}
