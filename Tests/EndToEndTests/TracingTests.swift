import Foundation
import Glibc
import Testing
import UploadTesting
import Uploads
import UploadsRabbitMQ

/// Traces and metrics by OTLP, from the command that enqueues to each delegate's delivery.
@Suite(.timeLimit(.minutes(30))) struct TracingTests {
    private static let secret = "whsec_" + Data("a-secret-of-the-hook-0123456789".utf8).base64EncodedString()

    private func environment(_ collector: String, _ more: [String: String] = [:]) -> [String: String] {
        [
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_BSP_SCHEDULE_DELAY": "100",
            "OTEL_METRIC_EXPORT_INTERVAL": "500", "UPLOAD_NOTIFIER_ALLOW_NETWORKS": "127.0.0.0/8",
        ].merging(more) { $1 }
    }

    private func with(_ server: FormServer, _ body: (Deployment) async throws -> Void) async throws {
        let url = "http://127.0.0.1:\(server.port)"
        try await Deployment.with(
            destinations: [
                "web: {driver: http, url: '\(url)/stored/'}",
                "slow: {driver: http, url: '\(url)/stored/', limits: {bytesPerSecond: 2MiB}}",
            ],
            delegates: [
                "hook: {kind: webhook, url: '\(url)/hook', secret: \(Self.secret)}", "app: {kind: queue}",
            ]
        ) { try await body($0) }
    }

    /// The header `traceparent` of the oldest message in a queue, read by another client.
    private func header(in queue: String, _ deployment: Deployment) async throws -> String {
        let script = """
            import pika, sys
            channel = pika.BlockingConnection(pika.URLParameters(sys.argv[1])).channel()
            method, properties, body = channel.basic_get(sys.argv[2], auto_ack=True)
            print(properties.headers["traceparent"])
            """
        let python = try await TestProgram.python(with: "pika")
        return try await Spawn.output(of: python, ["-c", script, deployment.broker.url, queue]).text
            .trimmingCharacters(in: .newlines)
    }

    @Test func oneTraceLeadsFromTheCommandThroughEverySliceAndRequestToEachDelivery() async throws {
        let (collector, server) = (try await OTLPCollector.start(), try await FormServer.start())
        try await with(server) { deployment in
            let environment = environment(collector.url)
            let worker = try deployment.start(.worker, ["--log-level", "debug"], environment: environment)
            try deployment.start(.notifier, environment: environment)
            let file = try deployment.makeFile("photo.bin", bytes: 100_000)
            let pipeline = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            let enqueue = try deployment.start(
                .enqueue, ["--to", "web:photo.bin", "--wait", file.path],
                environment: environment.merging(["TRACEPARENT": pipeline]) { $1 })
            #expect(await enqueue.wait() == 0, "\(enqueue.errorText)")
            let job = enqueue.outputText.trimmingCharacters(in: .newlines)
            var spans: [OTLPCollector.Span] = []
            try await eventually("all spans have come") {
                spans = try collector.spans().filter { $0.attributes["upload.delegate"] != "events" }
                return spans.count { $0.name == "upload.deliver" } == 2
            }

            let trace = Data([
                0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36,
            ])
            #expect(spans.allSatisfy { $0.trace == trace.base64EncodedString() }, "\(spans)")
            let begin = try #require(spans.first { $0.name == "upload.enqueue" })
            #expect(begin.service == "enqueue-upload" && begin.kind == "SPAN_KIND_PRODUCER")
            #expect(Data(base64Encoded: begin.parent ?? "") == Data([0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]))
            let slices = spans.filter { $0.name == "upload.slice" }
            #expect(slices.count == 1 && slices.allSatisfy { $0.parent == begin.id && $0.service == "upload-worker" })
            #expect(slices.allSatisfy { $0.attributes["upload.job"] == job })
            let last = try #require(slices.first { $0.attributes["upload.settlement"] == "ended" })
            let request = try #require(spans.first { $0.name == "PUT" })
            #expect(request.parent == last.id && request.kind == "SPAN_KIND_CLIENT")
            #expect(request.attributes["http.response.status_code"] == "201")
            #expect(request.attributes["url.full"] == "http://127.0.0.1:\(server.port)/stored/photo.bin")
            let deliveries = spans.filter { $0.name == "upload.deliver" }
            #expect(Set(deliveries.map { $0.attributes["upload.delegate"] }) == ["hook", "app"])
            #expect(deliveries.allSatisfy { $0.parent == last.id && $0.service == "upload-notifier" })

            // Each receiver hears which span called it.
            let taken = try server.uploads()
            let stored = try #require(taken.first { $0.path.hasPrefix("stored/") })
            #expect(stored.headers["traceparent"] == request.traceParent)
            let hooked = try #require(taken.first { $0.path == "hook" })
            let hook = try #require(deliveries.first { $0.attributes["upload.delegate"] == "hook" })
            #expect(hooked.headers["traceparent"] == hook.traceParent)
            let app = try #require(deliveries.first { $0.attributes["upload.delegate"] == "app" })
            let queue = try deployment.topology.delegateQueue("app")
            #expect(try await header(in: queue, deployment) == app.traceParent)
            let outcome = try await deployment.waitForOutcome(of: job)
            #expect(outcome["traceparent"] as? String == last.traceParent)

            #expect(worker.errorText.contains("trace_id=4bf92f3577b34da6a3ce929d0e0e4736"), "\(worker.errorText)")
            try await eventually("the metrics have come") {
                try collector.values(of: "upload_jobs_total", ["destination": "web", "outcome": "completed"]) == [1]
                    && collector.values(of: "upload_notifier_active") == [1]
            }
        }
    }

    /// A job of a producer that traces nothing: all its slices, of two workers, and its deliveries are in the trace with the job's id. A
    /// delegate that takes many outcomes together has a trace of its own, with a link to each of theirs.
    @Test func aJobWithoutATraceGetsOneForTheSlicesOfAllItsWorkers() async throws {
        let (collector, server) = (try await OTLPCollector.start(), try await FormServer.start())
        try await with(server) { deployment in
            let environment = environment(collector.url)
            let file = try deployment.makeFile("large.bin", bytes: 32 << 20)
            let jobs =
                try await deployment.enqueue(["--to", "slow:large.bin", file.path])
                + deployment.enqueue(["--to", "web:other.bin", file.path])
            let notifier = try deployment.start(.notifier, environment: environment)
            try await eventually("the notifier is ready") { try await notifier.readiness() == "ready\n" }
            let api = ["--api", "http://127.0.0.1:\(try #require(notifier.port))"]
            try await deployment.control(["delegate", "pause", "events"] + api)
            for signal in [SIGTERM, SIGKILL] {
                let worker = try deployment.start(.worker, ["--grace", "1s"], environment: environment)
                try await deployment.waitForStatus("running", of: jobs[0])
                worker.signal(signal)
                _ = await worker.wait()
            }
            try deployment.start(.worker, environment: environment)
            for job in jobs { try await deployment.waitForStatus("completed", of: job) }
            try await deployment.control(["delegate", "resume", "events"] + api)
            let traces = try jobs.map { job in
                let id = try #require(UUID(uuidString: job))
                return withUnsafeBytes(of: id.uuid) { Data($0) }.base64EncodedString()
            }
            var spans: [OTLPCollector.Span] = []
            try await eventually("all deliveries are told") {
                spans = try collector.spans()
                return spans.count { $0.name == "upload.deliver" && traces.contains($0.trace) } == 4
                    && spans.contains { !$0.links.isEmpty }
            }
            let last = try traces.map { trace in
                try #require(
                    spans.first {
                        $0.name == "upload.slice" && $0.trace == trace && $0.attributes["upload.settlement"] == "ended"
                    })
            }
            let slices = spans.filter { $0.name == "upload.slice" && $0.trace == traces[0] }
            #expect(Set(slices.map { $0.attributes["upload.settlement"] }) == ["handOver", "ended"])
            let together = try #require(spans.first { !$0.links.isEmpty })
            #expect(together.attributes["upload.delegate"] == "events" && !traces.contains(together.trace))
            #expect(Set(together.links) == Set(last.map { [$0.trace, $0.id] }))
        }
    }

    /// The notifier issues it, and its message names no producer.
    @Test func aJobWithAnIdempotencyKeyHasATraceOfItsOwnThatLinksToItsProducers() async throws {
        let (collector, server) = (try await OTLPCollector.start(), try await FormServer.start())
        try await with(server) { deployment in
            let environment = environment(collector.url)
            try deployment.start(.worker, environment: environment)
            try deployment.start(.notifier, environment: environment)
            let file = try deployment.makeFile("photo.bin", bytes: 1000)
            let pipeline = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            let enqueue = try deployment.start(
                .enqueue, ["--to", "web:photo.bin", "--idempotency-key", "k", "--wait", file.path],
                environment: environment.merging(["TRACEPARENT": pipeline]) { $1 })
            #expect(await enqueue.wait() == 0, "\(enqueue.errorText)")
            let id = try #require(UUID(uuidString: enqueue.outputText.trimmingCharacters(in: .newlines)))
            let trace = withUnsafeBytes(of: id.uuid) { Data($0) }.base64EncodedString()
            var spans: [OTLPCollector.Span] = []
            try await eventually("all deliveries are told") {
                spans = try collector.spans().filter { $0.trace == trace }
                return spans.count { $0.name == "upload.deliver" } == 3
            }
            #expect(Set(spans.map(\.name)) == ["upload.enqueue", "upload.slice", "PUT", "upload.deliver"])
            let links = try #require(spans.first { $0.name == "upload.enqueue" }?.links)
            let producer = pipeline.split(separator: "-")[1...2].map { digits in
                Data(
                    stride(from: 0, to: 32, by: 2).prefix(digits.count / 2).map { offset in
                        UInt8(digits.dropFirst(offset).prefix(2), radix: 16) ?? 0
                    }
                ).base64EncodedString()
            }
            #expect(links == [producer])
        }
    }

    /// Without a collector, what a producer names is passed on as it came.
    @Test func aProducersTraceIsPassedOnByProgramsThatExportNothing() async throws {
        let server = try await FormServer.start()
        try await with(server) { deployment in
            try deployment.start(.worker)
            try deployment.start(.notifier, environment: ["UPLOAD_NOTIFIER_ALLOW_NETWORKS": "127.0.0.0/8"])
            let file = try deployment.makeFile("photo.bin", bytes: 1000)
            let pipeline = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            let enqueue = try deployment.start(
                .enqueue, ["--to", "local:photo.bin", file.path], environment: ["TRACEPARENT": pipeline])
            #expect(await enqueue.wait() == 0, "\(enqueue.errorText)")
            let outcome = try await deployment.waitForOutcome(of: enqueue.outputText.trimmingCharacters(in: .newlines))
            #expect(outcome["traceparent"] as? String == pipeline)
            try await eventually("the webhook is called") { try server.uploads().count == 1 }
            #expect(try server.uploads().first?.headers["traceparent"] == pipeline)
        }
    }

    /// What is not sampled is not exported, and says so to all others; and no collector holds the work up.
    @Test(arguments: [true, false]) func withoutSamplingOrCollectorTheWorkGoesOn(isSampled: Bool) async throws {
        let (collector, server) = (try await OTLPCollector.start(), try await FormServer.start())
        try await with(server) { deployment in
            let environment = environment(
                isSampled ? "http://127.0.0.1:9" : collector.url,
                isSampled ? [:] : ["OTEL_TRACES_SAMPLER": "parentbased_always_off"])
            let worker = try deployment.start(.worker, environment: environment)
            let notifier = try deployment.start(.notifier, environment: environment)
            let file = try deployment.makeFile("photo.bin", bytes: 100_000)
            let enqueue = try deployment.start(
                .enqueue, ["--to", "web:photo.bin", "--wait", file.path], environment: environment)
            #expect(await enqueue.wait() == 0 && !enqueue.errorText.contains("collector"), "\(enqueue.errorText)")
            for program in [worker, notifier] {
                program.signal(SIGTERM)
                #expect(await program.wait() == 0, "\(program.errorText)")
            }
            let flags = try #require(try server.uploads().first?.headers["traceparent"]).suffix(3)
            #expect(flags == (isSampled ? "-01" : "-00"))
            #expect(try collector.spans().isEmpty)
            #expect(worker.errorText.contains("the collector did not take them") == isSampled, "\(worker.errorText)")
        }
    }
}
