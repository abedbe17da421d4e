import AsyncHTTPClient
import Foundation
import NIOHTTP1
import TraceContexts
import Tracing
import Uploads

/// The span of a request, by the semantic conventions of OpenTelemetry for HTTP clients. Only the work of a traced task has one: so sweeps and
/// surveys make none.
struct RequestSpan {
    private let span: (any Span)?

    /// - Parameter url: as it may be shown.
    init(_ method: HTTPMethod, _ url: String) {
        guard ServiceContext.current != nil else {
            span = nil
            return
        }
        let span = startSpan(method.rawValue, ofKind: .client)
        self.span = span
        guard span.isRecording else { return }
        span.attributes["http.request.method"] = method.rawValue
        span.attributes["url.full"] = url
        let parsed = URL(string: url)
        if let host = parsed?.host() { span.attributes["server.address"] = host }
        if let port = parsed?.port { span.attributes["server.port"] = port }
    }

    /// What the request names as its parent; nil without a tracer.
    var traceParent: TraceParent? { span?.context.traceParent }

    /// Ends the span with what the request brings.
    func ends(
        with send: () async throws(UploadError) -> HTTPReply
    ) async throws(UploadError) -> HTTPReply {
        guard let span else { return try await send() }
        defer { span.end() }
        do throws(UploadError) {
            let reply = try await send()
            span.attributes["http.response.status_code"] = reply.status
            if reply.status >= 400 { fail(span, "\(reply.status)") }
            return reply
        } catch {
            fail(span, error.code.description)
            throw error
        }
    }

    private func fail(_ span: any Span, _ type: String) {
        span.attributes["error.type"] = type
        span.setStatus(SpanStatus(code: .error))
    }
}

extension HTTPClientRequest {
    /// The request with the header that names its span.
    func naming(_ span: RequestSpan) -> HTTPClientRequest {
        guard let trace = span.traceParent else { return self }
        var request = self
        request.headers.replaceOrAdd(name: TraceParent.header, value: trace.description)
        return request
    }
}
