import Foundation

/// What the environment variables of OpenTelemetry ask for (OpenTelemetry specification 1.49, "Environment Variable Specification" and
/// "OpenTelemetry Protocol Exporter"). Without any of them nothing is exported. A value that cannot be used is ignored, with a warning.
package struct TelemetrySettings: Sendable {
    /// Where one signal goes, and how.
    package struct Export: Hashable, Sendable {
        var url: URL
        var headers: [String: String] = [:]
        /// Seconds for one request and its answer.
        var timeout: TimeInterval = 10
        /// Paths of PEM files: certificates to trust, and the client's own.
        var certificate: String?
        var clientCertificate: String?
        var clientKey: String?
    }

    package enum Temporality: String, Sendable { case cumulative, delta }

    package var traces: Export?
    package var metrics: Export?
    var sampler = Sampler.parentBased(.always)
    /// Whether `traceparent` is read and written.
    var propagates = true
    var resource: [String: String] = [:]
    var serviceName: String?
    /// Ended spans that wait for their export, at most.
    var queueMaximum = 2048
    /// Spans of one request at most.
    var batchMaximum = 512
    /// Seconds between two exports of spans.
    var spanPause: TimeInterval = 5
    /// Seconds after which spans are given up that the collector has not taken.
    var spanPatience: TimeInterval = 30
    /// Seconds between two exports of metrics.
    var metricPause: TimeInterval = 60
    var temporality = Temporality.cumulative
    /// Attributes, events and links of a span at most.
    var attributesMaximum = 128
    var eventsMaximum = 128
    var linksMaximum = 128
    /// Characters of an attribute's text at most; nil: any number.
    var textMaximum: Int?
    package private(set) var warnings: [String] = []

    package init(_ environment: [String: String]) {
        var reader = EnvironmentReader(environment)
        defer { warnings = reader.warnings }
        guard !reader.bool("OTEL_SDK_DISABLED") else { return }
        traces = Self.export("TRACES", "v1/traces", &reader)
        metrics = Self.export("METRICS", "v1/metrics", &reader)
        guard traces != nil || metrics != nil else { return }
        serviceName = reader.text("OTEL_SERVICE_NAME")
        resource = reader.pairs("OTEL_RESOURCE_ATTRIBUTES")
        sampler = Self.sampler(&reader)
        for name in reader.list("OTEL_PROPAGATORS") ?? [] where !["tracecontext", "baggage", "none"].contains(name) {
            reader.warn("OTEL_PROPAGATORS", "'\(name)' is not known here: only tracecontext is")
        }
        propagates = reader.list("OTEL_PROPAGATORS").map { $0.contains("tracecontext") } ?? true
        queueMaximum = reader.count("OTEL_BSP_MAX_QUEUE_SIZE", 1...1_000_000) ?? queueMaximum
        batchMaximum =
            reader.count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1...queueMaximum) ?? min(batchMaximum, queueMaximum)
        spanPause = reader.seconds("OTEL_BSP_SCHEDULE_DELAY") ?? spanPause
        spanPatience = reader.seconds("OTEL_BSP_EXPORT_TIMEOUT") ?? spanPatience
        metricPause = reader.seconds("OTEL_METRIC_EXPORT_INTERVAL") ?? metricPause
        switch reader.text("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE")?.lowercased() {
        case nil, "cumulative": break
        case "delta", "lowmemory": temporality = .delta
        case let other?:
            reader.warn(
                "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "'\(other)' is neither cumulative nor delta")
        }
        let all = 0...10_000
        attributesMaximum =
            reader.count("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", all) ?? reader.count("OTEL_ATTRIBUTE_COUNT_LIMIT", all)
            ?? attributesMaximum
        textMaximum =
            reader.count("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", 0...1_000_000)
            ?? reader.count("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", 0...1_000_000)
        eventsMaximum = reader.count("OTEL_SPAN_EVENT_COUNT_LIMIT", all) ?? eventsMaximum
        linksMaximum = reader.count("OTEL_SPAN_LINK_COUNT_LIMIT", all) ?? linksMaximum
    }

    /// - Returns: nil when the signal is not exported.
    private static func export(_ signal: String, _ path: String, _ reader: inout EnvironmentReader) -> Export? {
        let exporters = reader.list("OTEL_\(signal)_EXPORTER")
        // What a person set for all signals, or for this one.
        func setting(_ name: String) -> String? {
            reader.text("OTEL_EXPORTER_OTLP_\(signal)_\(name)") ?? reader.text("OTEL_EXPORTER_OTLP_\(name)")
        }
        let isAsked = exporters?.contains("otlp") ?? (setting("ENDPOINT") != nil)
        for name in exporters ?? [] where !["otlp", "none"].contains(name) {
            // Each program shows its metrics for Prometheus in any case.
            guard signal != "METRICS" || name != "prometheus" else { continue }
            reader.warn("OTEL_\(signal)_EXPORTER", "'\(name)' is not known here: only otlp is")
        }
        guard isAsked else { return nil }
        let own = reader.text("OTEL_EXPORTER_OTLP_\(signal)_ENDPOINT")
        let base = reader.text("OTEL_EXPORTER_OTLP_ENDPOINT") ?? "http://localhost:4318"
        let variable = own == nil ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "OTEL_EXPORTER_OTLP_\(signal)_ENDPOINT"
        let text = own ?? base + (base.hasSuffix("/") ? "" : "/") + path
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false
        else {
            reader.warn(variable, "it is no http or https URL: nothing is exported")
            return nil
        }
        if let name = setting("PROTOCOL"), name != "http/protobuf" {
            reader.warn(
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                "'\(name)' is not known here: http/protobuf is sent, to port 4318 of most collectors")
        }
        if let name = setting("COMPRESSION"), name != "none" {
            reader.warn("OTEL_EXPORTER_OTLP_COMPRESSION", "'\(name)' is not known here: nothing is compressed")
        }
        var export = Export(url: url)
        export.headers = reader.pairs("OTEL_EXPORTER_OTLP_HEADERS")
            .merging(reader.pairs("OTEL_EXPORTER_OTLP_\(signal)_HEADERS")) { $1 }
        export.timeout =
            reader.seconds("OTEL_EXPORTER_OTLP_\(signal)_TIMEOUT") ?? reader.seconds("OTEL_EXPORTER_OTLP_TIMEOUT")
            ?? export.timeout
        export.certificate = setting("CERTIFICATE")
        export.clientCertificate = setting("CLIENT_CERTIFICATE")
        export.clientKey = setting("CLIENT_KEY")
        return export
    }

    private static func sampler(_ reader: inout EnvironmentReader) -> Sampler {
        let argument = reader.text("OTEL_TRACES_SAMPLER_ARG")
        var ratio = 1.0
        if let argument {
            if let value = Double(argument), (0...1).contains(value) {
                ratio = value
            } else {
                reader.warn("OTEL_TRACES_SAMPLER_ARG", "'\(argument)' is no number from 0 to 1")
            }
        }
        switch reader.text("OTEL_TRACES_SAMPLER")?.lowercased() {
        case nil, "parentbased_always_on": return .parentBased(.always)
        case "parentbased_always_off": return .parentBased(.never)
        case "parentbased_traceidratio": return .parentBased(.ratio(ratio))
        case "always_on": return .root(.always)
        case "always_off": return .root(.never)
        case "traceidratio": return .root(.ratio(ratio))
        case let other?:
            reader.warn("OTEL_TRACES_SAMPLER", "'\(other)' is not known here: parentbased_always_on is used")
            return .parentBased(.always)
        }
    }
}
