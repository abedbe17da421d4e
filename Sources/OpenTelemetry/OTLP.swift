/// Short names for the generated types.
enum OTLP {
    typealias AnyValue = Opentelemetry_Proto_Common_V1_AnyValue
    typealias ArrayValue = Opentelemetry_Proto_Common_V1_ArrayValue
    typealias KeyValue = Opentelemetry_Proto_Common_V1_KeyValue
    typealias Scope = Opentelemetry_Proto_Common_V1_InstrumentationScope
    typealias Resource = Opentelemetry_Proto_Resource_V1_Resource
    typealias Span = Opentelemetry_Proto_Trace_V1_Span
    typealias Status = Opentelemetry_Proto_Trace_V1_Status
    typealias ResourceSpans = Opentelemetry_Proto_Trace_V1_ResourceSpans
    typealias ScopeSpans = Opentelemetry_Proto_Trace_V1_ScopeSpans
    typealias TraceRequest = Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceRequest
    typealias TraceResponse = Opentelemetry_Proto_Collector_Trace_V1_ExportTraceServiceResponse
    typealias Metric = Opentelemetry_Proto_Metrics_V1_Metric
    typealias NumberPoint = Opentelemetry_Proto_Metrics_V1_NumberDataPoint
    typealias HistogramPoint = Opentelemetry_Proto_Metrics_V1_HistogramDataPoint
    typealias Temporality = Opentelemetry_Proto_Metrics_V1_AggregationTemporality
    typealias ResourceMetrics = Opentelemetry_Proto_Metrics_V1_ResourceMetrics
    typealias ScopeMetrics = Opentelemetry_Proto_Metrics_V1_ScopeMetrics
    typealias MetricsRequest = Opentelemetry_Proto_Collector_Metrics_V1_ExportMetricsServiceRequest
    typealias MetricsResponse = Opentelemetry_Proto_Collector_Metrics_V1_ExportMetricsServiceResponse
}
