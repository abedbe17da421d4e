import TraceContexts
import Tracing
import Uploads

/// The span of a delivery: of one outcome, whose trace it belongs to, or of many for a delegate that takes them together, with a link to each.
struct DeliverySpan {
    private let span: any Span

    init(_ deliveries: [DelegateDelivery], to delegate: String) {
        guard deliveries.count == 1, let delivery = deliveries.first else {
            span = startSpan("upload.deliver", context: .topLevel, ofKind: .producer)
            span.attributes["upload.delegate"] = delegate
            guard span.isRecording else { return }
            for delivery in deliveries { span.addLink(SpanLink(context: Self.context(of: delivery), attributes: [:])) }
            return
        }
        span = startSpan("upload.deliver", context: Self.context(of: delivery), ofKind: .producer)
        guard span.isRecording else { return }
        span.attributes["upload.delegate"] = delegate
        span.attributes["upload.job"] = delivery.event.job.id.rawValue
        span.attributes["upload.event"] = delivery.event.id
        span.attributes["upload.attempt"] = delivery.attempts.addingSaturating(1)
    }

    private static func context(of delivery: DelegateDelivery) -> ServiceContext {
        .trace(of: delivery.event.job.id, after: delivery.event.trace)
    }

    /// For the work that belongs to the delivery: its request, and what the log says of it.
    var context: ServiceContext { span.context }

    /// Ends the span with the delivery.
    func ends(
        with deliver: () async throws(UploadError) -> ServerResponse?
    ) async throws(UploadError) -> ServerResponse? {
        defer { span.end() }
        do throws(UploadError) {
            return try await deliver()
        } catch {
            span.setStatus(SpanStatus(code: .error, message: error.code.description))
            throw error
        }
    }
}

extension UploadEvent {
    /// What a delivery of the event names as its parent: the delivery's span, or without a tracer what the event names.
    var deliveryTrace: TraceParent? { ServiceContext.current?.traceParent ?? trace }
}
