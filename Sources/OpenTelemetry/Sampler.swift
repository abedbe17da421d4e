/// Decides whether a span is recorded (OpenTelemetry specification, "Tracing SDK", section "Sampling").
enum Sampler: Hashable, Sendable {
    enum Root: Hashable, Sendable {
        case always, never
        /// The share of traces, from 0 to 1.
        case ratio(Double)
    }

    /// The parent's decision, and the given one for a span without a parent.
    case parentBased(Root)
    /// The same for all spans, whatever their parents.
    case root(Root)

    func isSampled(_ trace: TraceID, parent: SpanContext?) -> Bool {
        switch self {
        case .parentBased(let root): parent?.isSampled ?? Self.isSampled(trace, root)
        case .root(let root): Self.isSampled(trace, root)
        }
    }

    /// By the 56 rightmost bits, which are random in an id of any level of W3C Trace Context, and in the id of a job, too: so every program
    /// decides alike.
    private static func isSampled(_ trace: TraceID, _ root: Root) -> Bool {
        switch root {
        case .always: true
        case .never: false
        case .ratio(let share):
            Double(trace.low & 0xFF_FFFF_FFFF_FFFF) >= (1 - min(max(0, share), 1)) * Double(UInt64(1) << 56)
        }
    }
}
