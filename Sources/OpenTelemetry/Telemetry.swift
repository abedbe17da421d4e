import Foundation
package import Logging
import SwiftProtobuf
import Synchronization
package import Tracing

/// Sends a program's spans and metrics to a collector, as the variables `OTEL_*` ask for. Whatever the collector does, the program goes on:
/// spans wait in a queue with a bound, and what it does not take in time is dropped and counted in the log.
package final class Telemetry: Sendable {
    /// What tells which program the spans and metrics are of.
    package struct Program: Sendable {
        let name: String
        let version: String

        package init(name: String, version: String) {
            self.name = name
            self.version = version
        }
    }

    /// Seconds for the last spans and metrics when the program ends.
    package static let stopPatience = 3.0

    private let settings: TelemetrySettings
    private let spans: OTLPClient?
    private let figures: OTLPClient?
    private let queue: Mutex<SpanQueue>
    private let reader: Mutex<MetricReader>
    private let metrics: @Sendable () async -> [MetricFamily]
    private let resource: OTLP.Resource
    private let scope: OTLP.Scope
    private let logger: Logger
    private let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameter metrics: collects the values of all metrics at this moment; nil for a program without any.
    /// - Returns: nil when the settings ask for nothing.
    /// - Throws: for certificates that cannot be read.
    package init?(
        _ settings: TelemetrySettings, of program: Program, logger: Logger,
        metrics: (@Sendable () async -> [MetricFamily])? = nil
    ) throws {
        let export = metrics == nil ? nil : settings.metrics
        guard settings.traces != nil || export != nil else { return nil }
        self.settings = settings
        self.logger = logger
        self.metrics = metrics ?? { [] }
        queue = Mutex(SpanQueue(maximum: settings.queueMaximum, batchMaximum: settings.batchMaximum))
        reader = Mutex(MetricReader(settings.temporality, at: Self.now))
        resource = Self.resource(of: program, settings)
        scope = .with {
            $0.name = "longshore"
            $0.version = program.version
        }
        // Both first: a client that was made has to be closed.
        let (traceTLS, metricTLS) = (try settings.traces.map(OTLPClient.tls), try export.map(OTLPClient.tls))
        spans = settings.traces.flatMap { traces in traceTLS.map { OTLPClient(traces, $0) } }
        figures = export.flatMap { metrics in metricTLS.map { OTLPClient(metrics, $0) } }
    }

    /// The tracer of the program; nil when spans are not exported.
    package var tracer: (any Tracer)? {
        guard spans != nil else { return nil }
        return SpanTracer(
            sampler: settings.sampler, propagates: settings.propagates,
            limits: RecordedSpan.Limits(events: settings.eventsMaximum, links: settings.linksMaximum)
        ) { [weak self] in self?.take($0) }
    }

    /// What a log line says of the span to which it belongs.
    package static let logMetadata = Logger.MetadataProvider {
        guard let place = ServiceContext.current?[CurrentSpan.self] else { return [:] }
        return ["trace_id": .string(place.trace.text), "span_id": .string(place.span.text)]
    }

    /// The spans that wait for their export.
    var waitingCount: Int { queue.withLock { $0.count } }

    private func take(_ span: RecordedSpan.Record) {
        let hasBatch = queue.withLock { queue in
            queue.append(span)
            return queue.hasBatch
        }
        if hasBatch { tick.yield() }
    }

    /// Exports until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            if spans != nil {
                group.addTask { await self.repeated(every: self.settings.spanPause) { self.tick.yield() } }
                group.addTask {
                    for await _ in self.ticks { await self.exportSpans(within: self.settings.spanPatience) }
                }
            }
            if figures != nil {
                group.addTask {
                    await self.repeated(every: self.settings.metricPause) {
                        await self.exportMetrics(within: min(30, self.settings.metricPause))
                    }
                }
            }
        }
    }

    /// Sends what is left, with one try, and closes the connections. To be called once, after `run()`.
    package func stop() async {
        let work = Task {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.exportSpans(within: 0) }
                group.addTask { await self.exportMetrics(within: 0) }
            }
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(Self.stopPatience))
            work.cancel()
        }
        await work.value
        limit.cancel()
        let left = queue.withLock { $0.count }
        if left > 0 { tell("spans are dropped: the collector did not take them", "the program ended", count: left) }
        for client in [spans, figures] { await client?.close() }
    }

    private func repeated(every seconds: TimeInterval, _ work: () async -> Void) async {
        while (try? await Task.sleep(for: .seconds(seconds))) != nil { await work() }
    }

    private func exportSpans(within seconds: TimeInterval) async {
        guard let spans else { return }
        while case let batch = queue.withLock({ $0.takeBatch() }), !batch.isEmpty {
            do {
                let answer = try await spans.send(request(for: batch), within: seconds)
                let partial = try? OTLP.TraceResponse(serializedBytes: answer).partialSuccess
                if let partial, partial.rejectedSpans > 0 {
                    tell(
                        "the collector has refused spans", partial.errorMessage,
                        count: Int(clamping: partial.rejectedSpans))
                }
            } catch is CancellationError {
                queue.withLock { $0.putBack(batch) }
                return
            } catch {
                queue.withLock { $0.drop(batch.count) }
                tell(
                    "spans are dropped: the collector did not take them", "\(error)",
                    count: queue.withLock { $0.takeDropped() })
                // The rest would fare no better now.
                return
            }
        }
        let dropped = queue.withLock { $0.takeDropped() }
        if dropped > 0 {
            tell("spans are dropped: too many ended at once", "OTEL_BSP_MAX_QUEUE_SIZE is too low", count: dropped)
        }
    }

    private func exportMetrics(within seconds: TimeInterval) async {
        guard let figures else { return }
        let families = await metrics()
        let (before, points) = reader.withLock { reader in
            let before = reader
            return (before, reader.read(families, at: Self.now))
        }
        let request = OTLP.MetricsRequest.with {
            $0.resourceMetrics = [
                .with {
                    $0.resource = resource
                    $0.scopeMetrics = [
                        .with {
                            $0.scope = scope
                            $0.metrics = points
                        }
                    ]
                }
            ]
        }
        do {
            let answer = try await figures.send(request, within: seconds)
            let partial = try? OTLP.MetricsResponse(serializedBytes: answer).partialSuccess
            if let partial, partial.rejectedDataPoints > 0 {
                tell(
                    "the collector has refused metrics", partial.errorMessage,
                    count: Int(clamping: partial.rejectedDataPoints))
            }
        } catch {
            // The next export also has what this one had.
            reader.withLock { $0 = before }
            guard !(error is CancellationError) else { return }
            tell("metrics were not taken by the collector", "\(error)", count: points.count)
        }
    }

    private func request(for batch: [RecordedSpan.Record]) -> OTLP.TraceRequest {
        .with {
            $0.resourceSpans = [
                .with {
                    $0.resource = resource
                    $0.scopeSpans = [
                        .with {
                            $0.scope = scope
                            $0.spans = batch.map { OTLP.Span($0, settings) }
                        }
                    ]
                }
            ]
        }
    }

    private func tell(_ message: Logger.Message, _ error: String, count: Int) {
        logger.warning(message, metadata: ["error": "\(error.prefix(500))", "count": "\(count)"])
    }

    /// The attributes of the resource (OpenTelemetry semantic conventions, "Resource").
    private static func resource(of program: Program, _ settings: TelemetrySettings) -> OTLP.Resource {
        var attributes = [
            "service.name": program.name, "service.version": program.version,
            "service.instance.id": UUID().uuidString.lowercased(), "host.name": ProcessInfo.processInfo.hostName,
            "telemetry.sdk.name": "longshore", "telemetry.sdk.language": "swift",
            "telemetry.sdk.version": program.version,
        ]
        attributes.merge(settings.resource) { $1 }
        if let name = settings.serviceName { attributes["service.name"] = name }
        return .with { resource in
            resource.attributes =
                [
                    OTLP.KeyValue(
                        "process.pid", .with { $0.intValue = Int64(ProcessInfo.processInfo.processIdentifier) })
                ] + attributes.sorted { $0.key < $1.key }.map { OTLP.KeyValue($0.key, $0.value) }
        }
    }

    private static var now: UInt64 { DefaultTracerClock.now.nanosecondsSinceEpoch }
}
