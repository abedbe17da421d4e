/// Why a slice is asked to hand over early.
public enum YieldReason: Hashable, Sendable {
    /// The worker is on its way out.
    case drain
    /// Something urgent needs the slot.
    case preempt
    /// The transfer queue was stopped.
    case stop
}
