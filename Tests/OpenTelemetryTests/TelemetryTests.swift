import Foundation
import Logging
import Testing
import Tracing
import UploadTesting

@testable import OpenTelemetry

/// Spans and metrics on their way to a collector that reads them with the classes of opentelemetry-proto.
@Suite(.timeLimit(.minutes(5))) struct TelemetryTests {
    private static let program = Telemetry.Program(name: "upload-worker", version: "1.2.3")
    private static let quiet = Logger(label: "telemetry") { _ in SwiftLogNoOpLogHandler() }

    private func telemetry(_ environment: [String: String]) throws -> Telemetry {
        try #require(
            try Telemetry(TelemetrySettings(environment), of: Self.program, logger: Self.quiet) {
                [
                    MetricFamily(
                        name: "upload_jobs_total", help: "Jobs.", kind: .counter,
                        series: [MetricFamily.Series(labels: ["queue": "a"], sum: 7, buckets: [0], bounds: [])])
                ]
            })
    }

    @Test func `the collector gets every value as it was, after it has refused some requests`() async throws {
        let collector = try await OTLPCollector.start(refusals: 2)
        let telemetry = try telemetry([
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_EXPORTER_OTLP_HEADERS": "api-key=secret",
            "OTEL_RESOURCE_ATTRIBUTES": "team=a", "OTEL_BSP_SCHEDULE_DELAY": "50", "OTEL_METRIC_EXPORT_INTERVAL": "50",
            "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "5",
        ])
        let run = Task { await telemetry.run() }
        let tracer = try #require(telemetry.tracer as? SpanTracer)
        let first = tracer.startSpan("first", context: .topLevel, ofKind: .producer)
        let span = tracer.startSpan("second", context: first.context, ofKind: .client)
        span.attributes["text"] = "0123456789"
        span.attributes["number"] = 42
        span.attributes["share"] = 0.5
        span.attributes["isTrue"] = true
        span.addLink(first)
        span.setStatus(SpanStatus(code: .error, message: "why"))
        span.recordError(CancellationError())
        span.end()
        first.end()
        try await eventually("spans and metrics have come") {
            let counted = try collector.values(of: "upload_jobs_total", ["queue": "a"])
            return try collector.spans().count == 2 && counted == [7]
        }
        run.cancel()
        await run.value
        await telemetry.stop()
        let spans = try collector.spans()
        let (producer, client) = (try #require(spans.last), try #require(spans.first))
        #expect(producer.name == "first" && producer.kind == "SPAN_KIND_PRODUCER" && producer.parent == nil)
        #expect(client.name == "second" && client.kind == "SPAN_KIND_CLIENT" && client.parent == producer.id)
        #expect(client.trace == producer.trace && client.isError && client.service == "upload-worker")
        #expect(client.attributes == ["text": "01234", "number": "42", "share": "0.5", "isTrue": "1"])
        #expect(client.links == [[producer.trace, producer.id]])
        #expect(client.traceParent == "00-\(try #require(span.context[CurrentSpan.self]).text.dropFirst(3))")
        #expect(try collector.headers().allSatisfy { $0["api-key"] == "secret" })
    }

    @Test func `what was not sent yet is sent at the end`() async throws {
        let collector = try await OTLPCollector.start()
        let telemetry = try telemetry(["OTEL_EXPORTER_OTLP_ENDPOINT": collector.url])
        let run = Task { await telemetry.run() }
        let tracer = try #require(telemetry.tracer as? SpanTracer)
        for number in 0..<1000 { tracer.startSpan("\(number)", context: .topLevel).end() }
        run.cancel()
        await run.value
        await telemetry.stop()
        #expect(try Set(collector.spans().map(\.name)).count == 1000)
        #expect(try collector.values(of: "upload_jobs_total") == [7])
    }

    @Test func `over TLS the collector and the program have to be signed by an authority that the other one knows`()
        async throws
    {
        let scratch = try TemporaryDirectory("telemetry")
        let files = try await TestCertificates.make(in: scratch.path)
        let collector = try await OTLPCollector.start(certificates: files)
        func send(_ name: String, authority: String?, certificate: String?) async throws {
            var environment = ["OTEL_EXPORTER_OTLP_ENDPOINT": collector.url]
            environment["OTEL_EXPORTER_OTLP_CERTIFICATE"] = authority
            environment["OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"] = certificate
            environment["OTEL_EXPORTER_OTLP_CLIENT_KEY"] = certificate.map { _ in files.clientKey }
            let telemetry = try telemetry(environment)
            let run = Task { await telemetry.run() }
            try #require(telemetry.tracer).startSpan(name, context: .topLevel).end()
            run.cancel()
            await run.value
            await telemetry.stop()
        }
        try await send("authority unknown", authority: nil, certificate: files.clientCertificate)
        try await send("another authority", authority: files.otherAuthority, certificate: files.clientCertificate)
        try await send("no certificate", authority: files.authority, certificate: nil)
        try await send("known", authority: files.authority, certificate: files.clientCertificate)
        #expect(try collector.spans().map(\.name) == ["known"])
        for bad in [scratch.path("missing.pem"), files.clientKey] {
            for (authority, certificate) in [(bad, files.clientCertificate), (files.authority, bad)] {
                let error = await #expect(throws: OTLPClient.Failure.self) {
                    try await send("a bad file", authority: authority, certificate: certificate)
                }
                #expect(error?.description == "\(bad) cannot be read, or holds no certificate in PEM")
            }
        }
        await #expect(throws: OTLPClient.Failure.self) {
            try await send("another's key", authority: files.authority, certificate: files.serverCertificate)
        }
    }

    /// What an operator reads names neither a library nor the machine that built it.
    @Test func `why a collector was not reached is said in words`() async throws {
        let scratch = try TemporaryDirectory("telemetry")
        let files = try await TestCertificates.make(in: scratch.path)
        let collector = try await OTLPCollector.start(certificates: files)
        func failure(_ url: String, _ authority: String? = nil) async throws -> String {
            var export = try #require(TelemetrySettings(["OTEL_EXPORTER_OTLP_ENDPOINT": url]).traces)
            export.certificate = authority
            let client = OTLPClient(export, try OTLPClient.tls(export))
            let error = await #expect(throws: OTLPClient.Failure.self) {
                _ = try await client.send(OTLP.TraceRequest(), within: 0)
            }
            await client.close()
            return try #require(error?.description.split(separator: "answer: ").last).description
        }
        #expect(try await failure(collector.url).hasPrefix("it is not trusted, or asks for a certificate"))
        let otherName = collector.url.replacing("localhost", with: "127.0.0.1")
        #expect(try await failure(otherName, files.authority) == "its certificate is for another name")
        #expect(try await failure("http://localhost:9") == "Connection refused")
        #expect(try await failure("http://127.0.0.1:9") == "Connection refused")
    }

    /// Nothing listens there, and a server that never answers is worse.
    @Test(arguments: [false, true])
    func `a collector that is away or silent stops neither the program nor its end`(isSilent: Bool) async throws {
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.waitForClose()
        }
        let url = isSilent ? "http://127.0.0.1:\(server.port)" : "http://127.0.0.1:9"
        let telemetry = try telemetry([
            "OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_MAX_QUEUE_SIZE": "10", "OTEL_BSP_SCHEDULE_DELAY": "1",
        ])
        let run = Task { await telemetry.run() }
        let tracer = try #require(telemetry.tracer as? SpanTracer)
        for number in 0..<10_000 { tracer.startSpan("\(number)", context: .topLevel).end() }
        #expect(telemetry.waitingCount <= 10)
        run.cancel()
        await run.value
        await telemetry.stop()
    }
}
