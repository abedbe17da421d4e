/// Why a slice is asked to hand over early.
public enum YieldReason: Hashable, Sendable {
    /// The worker shuts down.
    case drain
    /// An urgent job needs the slot.
    case preempt
    /// The transfer queue was stopped, or an operator drained the worker.
    case stop
}
