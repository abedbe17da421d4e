import Foundation
import Testing

@testable import OpenTelemetry

/// The variables `OTEL_*`, as the specification describes them.
@Suite struct TelemetrySettingsTests {
    private static let here = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]

    private func settings(_ more: [String: String]) -> TelemetrySettings {
        TelemetrySettings(Self.here.merging(more) { $1 })
    }

    @Test(arguments: [
        [:], ["OTEL_EXPORTER_OTLP_ENDPOINT": ""], ["OTEL_SERVICE_NAME": "pool"],
        ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "True"],
        [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_EXPORTER": "none",
            "OTEL_METRICS_EXPORTER": "none",
        ],
    ])
    func `nothing is exported unless a variable asks for it`(environment: [String: String]) {
        let settings = TelemetrySettings(environment)
        #expect(settings.traces == nil && settings.metrics == nil && settings.warnings.isEmpty)
    }

    @Test func `the paths of the signals are behind the common endpoint, and a signal's own endpoint is used as it is`()
    {
        #expect(settings([:]).traces?.url.absoluteString == "http://collector:4318/v1/traces")
        #expect(settings([:]).metrics?.url.absoluteString == "http://collector:4318/v1/metrics")
        let own = settings([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "https://all/base/",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://traces:1234/own",
        ])
        #expect(own.traces?.url.absoluteString == "http://traces:1234/own")
        #expect(own.metrics?.url.absoluteString == "https://all/base/v1/metrics")
        let usual = TelemetrySettings(["OTEL_TRACES_EXPORTER": "otlp"])
        #expect(usual.traces?.url.absoluteString == "http://localhost:4318/v1/traces" && usual.metrics == nil)
    }

    @Test func `headers, times and certificates of a signal are those of all signals and its own`() {
        let settings = settings([
            "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "x=2",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "2500", "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT": "1000",
            "OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca.pem",
        ])
        #expect(settings.traces?.headers == ["api-key": "a b", "x": "2"] && settings.traces?.timeout == 2.5)
        #expect(settings.metrics?.headers == ["api-key": "a b", "x": "1"] && settings.metrics?.timeout == 1)
        #expect(settings.traces?.certificate == "/ca.pem" && settings.warnings.isEmpty)
    }

    @Test(arguments: [
        ("always_on", nil, Sampler.root(.always)), ("always_off", nil, .root(.never)),
        ("traceidratio", "0.25", .root(.ratio(0.25))), ("traceidratio", nil, .root(.ratio(1))),
        ("parentbased_always_on", nil, .parentBased(.always)), ("parentbased_always_off", nil, .parentBased(.never)),
        ("parentbased_traceidratio", "0.5", .parentBased(.ratio(0.5))),
    ])
    func `samplers have the names of the specification`(name: String, argument: String?, sampler: Sampler) {
        var environment = ["OTEL_TRACES_SAMPLER": name]
        environment["OTEL_TRACES_SAMPLER_ARG"] = argument
        let settings = settings(environment)
        #expect(settings.sampler == sampler && settings.warnings.isEmpty)
    }

    @Test func `queue, batch, pauses, limits and the resource are as told`() {
        let settings = settings([
            "OTEL_BSP_MAX_QUEUE_SIZE": "100", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "10", "OTEL_BSP_SCHEDULE_DELAY": "1500",
            "OTEL_BSP_EXPORT_TIMEOUT": "9000", "OTEL_METRIC_EXPORT_INTERVAL": "15000", "OTEL_SERVICE_NAME": "pool",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test,team=a%2Cb",
            "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "Delta", "OTEL_PROPAGATORS": "none",
            "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "20", "OTEL_SPAN_LINK_COUNT_LIMIT": "3",
        ])
        #expect(settings.queueMaximum == 100 && settings.batchMaximum == 10 && settings.spanPause == 1.5)
        #expect(settings.spanPatience == 9 && settings.metricPause == 15 && settings.serviceName == "pool")
        #expect(settings.resource == ["deployment.environment.name": "test", "team": "a,b"])
        #expect(settings.temporality == .delta && !settings.propagates)
        #expect(settings.textMaximum == 20 && settings.linksMaximum == 3 && settings.warnings.isEmpty)
    }

    @Test(arguments: [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "zstd"), ("OTEL_TRACES_EXPORTER", "zipkin"),
        ("OTEL_TRACES_SAMPLER", "sometimes"), ("OTEL_TRACES_SAMPLER_ARG", "2"), ("OTEL_BSP_SCHEDULE_DELAY", "-1"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "many"), ("OTEL_PROPAGATORS", "b3"), ("OTEL_RESOURCE_ATTRIBUTES", "nonsense"),
        ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "both"),
    ])
    func `a value that cannot be used is ignored with a warning that names it`(name: String, value: String) {
        let settings = settings([name: value])
        #expect(settings.warnings.count == 1 && settings.warnings[0].hasPrefix(name), "\(settings.warnings)")
        #expect(settings.spanPause == 5 && settings.queueMaximum == 2048 && settings.sampler == .parentBased(.always))
    }
}
