import Synchronization
import Uploads

/// Counts the bytes of one slice.
final class ProgressMeter: Sendable {
    private struct State: Sendable {
        /// Bytes of the file that the destination holds in whole parts.
        var held: Int64 = 0
        /// Bytes of each part under way.
        var underWay: [Int: Int64] = [:]
        var sent: Int64 = 0
        var partBytes: Int64?
        var isOpen = false
    }

    private let state = Mutex(State())

    /// To be called when a session is open.
    /// - Parameters:
    ///   - held: bytes that the destination holds already.
    ///   - partBytes: bytes of every part but the last.
    func begin(held: Int64, partBytes: Int64) {
        state.withLock { state in
            state.held = held
            state.partBytes = partBytes
            state.underWay = [:]
            state.isOpen = true
        }
    }

    /// Counts a piece of a part that was sent.
    func add(_ bytes: Int, part: Int) {
        state.withLock { state in
            state.underWay[part, default: 0] += Int64(bytes)
            state.sent += Int64(bytes)
        }
    }

    /// Counts a part that the destination accepted.
    func accept(_ part: Part) {
        state.withLock { state in
            state.underWay[part.number] = nil
            state.held += part.size
        }
    }

    /// Takes back the bytes of a part that has to be sent again.
    func reject(_ part: Part) { state.withLock { $0.underWay[part.number] = nil } }

    /// Bytes that were sent, repeats included.
    var sent: Int64 { state.withLock { $0.sent } }

    /// Bytes of every part but the last; nil before a session is open.
    var partBytes: Int64? { state.withLock { $0.partBytes } }

    /// Bytes of the file that are at the destination or under way; nil while no session is open.
    var done: Int64? { state.withLock { $0.isOpen ? $0.held + $0.underWay.values.reduce(0, +) : nil } }
}
