import Foundation

/// How long a server may be silent.
struct HTTPTimes: Hashable, Sendable {
    /// Seconds from the end of the body to the first byte of the answer.
    var firstByteSeconds: TimeInterval
    /// Seconds without a byte sent or received.
    var stallSeconds: TimeInterval
}
