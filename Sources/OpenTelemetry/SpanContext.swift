import Foundation
import Tracing
import Uploads

/// 128 bits that are not all zero.
struct TraceID: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// - Returns: nil for zero.
    init?(high: UInt64, low: UInt64) {
        guard high | low != 0 else { return nil }
        self.high = high
        self.low = low
    }

    init() {
        high = .random(in: 1 ... .max)
        low = .random(in: .min ... .max)
    }

    var bytes: Data { Data([high, low].flatMap { value in withUnsafeBytes(of: value.bigEndian) { Array($0) } }) }
    var text: String { hexadecimal(high) + hexadecimal(low) }
}

/// 64 bits that are not all zero.
struct SpanID: Hashable, Sendable {
    let value: UInt64

    /// - Returns: nil for zero.
    init?(_ value: UInt64) {
        guard value != 0 else { return nil }
        self.value = value
    }

    init() { value = .random(in: 1 ... .max) }

    var bytes: Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
    var text: String { hexadecimal(value) }
}

/// The place of a span in its trace.
struct SpanContext: Hashable, Sendable {
    let trace: TraceID
    let span: SpanID
    let isSampled: Bool
    /// Whether another program began the span.
    var isRemote = false

    init(trace: TraceID, span: SpanID, isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }

    /// The place that another program names.
    init?(_ parent: TraceParent) {
        let fields = parent.description.split(separator: "-")
        guard fields.count == 4, let high = UInt64(fields[1].prefix(16), radix: 16),
            let low = UInt64(fields[1].suffix(16), radix: 16), let trace = TraceID(high: high, low: low),
            let span = UInt64(fields[2], radix: 16).flatMap({ SpanID($0) }), let flags = UInt8(fields[3], radix: 16)
        else { return nil }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1)
        isRemote = true
    }

    /// The value of `traceparent`.
    var text: String { "00-\(trace.text)-\(span.text)-\(isSampled ? "01" : "00")" }
}

/// The span to which a task's work belongs.
enum CurrentSpan: ServiceContextKey {
    typealias Value = SpanContext
}

/// 16 digits.
private func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
