import Foundation
import Logging
import OpenTelemetry
import Tracing
import Uploads

/// What a program sends to a collector by OTLP while it runs, if the variables `OTEL_*` ask for that.
enum ProgramTelemetry {
    /// Runs a program's work, and exports its spans and metrics meanwhile.
    /// - Parameters:
    ///   - registry: the metrics; nil for a command, which has none.
    ///   - warn: takes what is wrong with the variables.
    static func during<Result>(
        _ program: ProgramName, _ environment: [String: String], _ registry: PrometheusRegistry? = nil, logger: Logger,
        warn: (String) -> Void, _ work: () async throws -> Result
    ) async throws -> Result {
        let settings = TelemetrySettings(environment)
        for warning in settings.warnings { warn(warning) }
        let telemetry: Telemetry?
        do {
            let metrics = registry.map { registry in { @Sendable in await registry.metricFamilies() } }
            telemetry = try Telemetry(
                settings, of: Telemetry.Program(name: program.rawValue, version: ProgramVersion.number), logger: logger,
                metrics: metrics)
        } catch {
            warn(
                "nothing is exported: \(error) (OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE, _CLIENT_KEY)")
            telemetry = nil
        }
        guard let telemetry else { return try await work() }
        if let tracer = telemetry.tracer { InstrumentationSystem.bootstrap(tracer) }
        let export = Task { await telemetry.run() }
        func stop() async {
            export.cancel()
            await export.value
            await telemetry.stop()
        }
        do {
            let result = try await work()
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }

    /// The place in the trace that started this process, a step of CI say (OpenTelemetry specification, "Environment Variables as Context
    /// Propagation Carriers"); nil where none is named.
    static func parent(_ environment: [String: String]) -> TraceParent? {
        environment["TRACEPARENT"].flatMap { TraceParent($0) }
    }
}
