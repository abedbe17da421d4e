import Foundation
import Logging
import RabbitMQ
import Testing
import UploadTesting

/// Secrets and the query of a pre-signed URL appear only in the job itself.
@Suite(.timeLimit(.minutes(40))) struct SecretTests {
    @Test func neitherSecretsNorQueriesAppearInLogsEventsMetricsOrTheEventsOfTheLedger() async throws {
        let nginx = try await NginxServer()
        let hook = "whsec_" + Data("a-secret-of-the-hook-0123456789".utf8).base64EncodedString()
        let delegates = ["hook: {kind: webhook, url: http://127.0.0.1:9/hook, secret: \(hook)}"]
        try await Deployment.with(delegates: delegates) { deployment in
            let connection = try await listener(deployment)
            let channel = try await connection.openChannel()
            let notifier = try deployment.start(.notifier, ["--log-level", "trace"])
            let worker = try deployment.start(.worker, ["--log-level", "trace"])
            let file = try deployment.makeFile("a.bin", bytes: 100_000)
            let good = "\(nginx.url)a.bin?X-Signature=verysecret"
            let bad = "http://127.0.0.1:9/b.bin?X-Signature=verysecret"
            let enqueued = try await deployment.run(
                .enqueue,
                ["--to", good, "--wait", "-o", "ndjson", "--log-level", "trace", file.path])
            #expect(await enqueued.wait() == 0, "\(enqueued.errorText)")
            _ = try await deployment.run(.enqueue, ["--to", bad, "--max-attempts", "1", "--wait", file.path])
            try await deployment.waitForOutcomes(2)

            var seen: [(String, String)] = []
            for program in [notifier, worker, enqueued] {
                seen.append((program.name, program.outputText + program.errorText))
            }
            for port in try [worker, notifier].map({ try #require($0.port) }) {
                let metrics = try await Web.page("http://127.0.0.1:\(port)/metrics")
                #expect(metrics.contains("upload_"))
                seen.append(("metrics", metrics))
            }
            seen.append(("told", try String(contentsOf: deployment.events, encoding: .utf8)))
            let recorded = try deployment.queryLedger("SELECT plain(body) FROM events")
            seen.append(("ledger", recorded.joined(separator: "\n")))
            var events = 0
            while let delivery = try await channel.get("\(deployment.namespace).listener") {
                events += 1
                let text = String(decoding: delivery.message.body, as: UTF8.self)
                seen.append(("event", "\(delivery.routingKey) \(delivery.message) \(text)"))
            }
            #expect(events >= 2)
            for (place, text) in seen {
                for secret in ["verysecret", "X-Signature", hook, "guest:guest"] {
                    #expect(!text.contains(secret), "\(place) shows \(secret)")
                }
            }
            await connection.close()
        }
    }

    /// A connection with a queue of its own that is bound to all events.
    private func listener(_ deployment: Deployment) async throws -> Connection {
        let connection = try await Connection.open(
            ConnectionConfiguration(urls: [deployment.broker.url]),
            logger: Logger(label: "listener") { _ in SwiftLogNoOpLogHandler() })
        let name = "\(deployment.namespace).listener"
        let exchanges = ["events", "outcomes", "progress"].map {
            Exchange(name: "\(deployment.namespace).\($0)", kind: .topic)
        }
        try await connection.define(
            Topology(
                exchanges: exchanges,
                queues: [Queue(name: name, arguments: ["x-max-length": 10_000, "x-overflow": "drop-head"])],
                bindings: exchanges.map { Binding(source: $0.name, destination: .queue(name), routingKey: "#") }))
        return connection
    }
}
