import Foundation
import Testing
import UploadTesting
import Yams

@testable import UploadBootstrap

/// `deploy/monitoring`: rules and dashboard for Prometheus and Grafana, read by Prometheus's own tool and by Grafana's own library.
@Suite(.timeLimit(.minutes(10))) struct MonitoringTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let folder = root.appending(path: "deploy/monitoring")

    private static func path(_ name: String) -> String { folder.appending(path: name).path }
    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private struct Rules: Decodable {
        struct Group: Decodable {
            struct Rule: Decodable {
                let alert: String
                let expr: String
                let annotations: [String: String]
            }

            let rules: [Rule]
        }

        let groups: [Group]
    }

    private static func rules() throws -> [Rules.Group.Rule] {
        try YAMLDecoder().decode(Rules.self, from: text("rules.yaml")).groups.flatMap(\.rules)
    }

    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            struct Target: Decodable { let expr: String }

            let title: String
            let targets: [Target]?
        }

        let panels: [Panel]
    }

    /// The expressions of the dashboard, with a value for each of its variables.
    private static func expressions() throws -> [String] {
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: Data(text("dashboard.json").utf8))
        return dashboard.panels.flatMap { $0.targets ?? [] }.map { target in
            target.expr.replacing("$__rate_interval", with: "5m").replacing("$queue", with: ".*")
                .replacing("$destination", with: ".*")
        }
    }

    @Test func `Prometheus takes the rules, and each case raises what it should`() async throws {
        let promtool = try TestProgram.path("promtool")
        try await Spawn.output(of: promtool, ["check", "rules", "--lint-fatal", Self.path("rules.yaml")])
        try await Spawn.output(of: promtool, ["test", "rules", Self.path("rules-test.yaml")])
        let cases = try Self.text("rules-test.yaml")
        for rule in try Self.rules() {
            #expect(cases.contains("alertname=\"\(rule.alert)\""), "no case raises \(rule.alert)")
        }
    }

    @Test func `Prometheus takes every expression of the dashboard`() async throws {
        let files = try Files()
        let expressions = try Self.expressions()
        #expect(expressions.count > 30)
        let rules = expressions.enumerated().map { ["record": "panel:expression:\($0)", "expr": $1] }
        let file = try files.write(
            "dashboard.yaml", YAMLEncoder().encode(["groups": [Group(name: "dashboard", rules: rules)]]))
        try await Spawn.output(of: try TestProgram.path("promtool"), ["check", "rules", file])
    }

    private struct Group: Encodable {
        let name: String
        let rules: [[String: String]]
    }

    @Test func `rules and dashboard name only metrics that the programs have`() throws {
        let texts = try Self.rules().map(\.expr) + Self.expressions() + [Self.text("rules-test.yaml")]
        var found: Set<String> = []
        for text in texts {
            for match in text.matches(of: /\b(?:upload|process)_[a-z0-9_]+/) {
                var name = String(match.output)
                for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
                    name.removeLast(suffix.count)
                }
                #expect(PrometheusHelp.texts[name] != nil, "\(name) is no metric")
                found.insert(name)
            }
        }
        #expect(found.count > 25)
    }

    @Test func `each alert leads to a section that says what to do`() throws {
        let page = try String(
            contentsOf: Self.root.appending(path: "Sources/Uploads/Uploads.docc/Alerts.md"), encoding: .utf8)
        let sections = page.matches(of: /(?m)^### (\w+)$/).map { String($0.output.1) }
        let rules = try Self.rules()
        #expect(sections == rules.map(\.alert), "in the order of the rules")
        for rule in rules {
            #expect(rule.annotations["runbook_url"]?.hasSuffix("/documentation/uploads/alerts#\(rule.alert)") == true)
            #expect(rule.annotations["summary"]?.isEmpty == false && rule.annotations["description"]?.isEmpty == false)
        }
    }

    /// What Grafana's own model does not know is lost when it is written again.
    @Test func `Grafana's library reads the dashboard without a loss`() async throws {
        let python = try await TestProgram.python(with: "grafana_foundation_sdk")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "dashboard.py").path
        try await Spawn.output(of: python, [script, Self.path("dashboard.json")])
    }
}
