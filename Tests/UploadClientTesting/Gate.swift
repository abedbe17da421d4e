import Foundation
import Synchronization
import UploadTesting
import Uploads

/// Lets a test decide when uploads go on, and how they end.
final class Gate: Sendable {
    private struct State: Sendable {
        var door: Door?
        var refusals = 0
    }

    private let state = Mutex(State())

    var isHeld: Bool { state.withLock { $0.door != nil } }

    /// Holds all uploads from now on.
    func hold() { state.withLock { $0.door = $0.door ?? Door() } }

    func letGo() {
        let door = state.withLock { state in
            defer { state.door = nil }
            return state.door
        }
        door?.open()
    }

    /// Lets the next `count` uploads fail for good.
    func refuse(_ count: Int = 1) { state.withLock { $0.refusals += count } }

    /// Called by every upload before its first byte; ends early when its task is cancelled.
    func pass() async throws(UploadError) {
        await state.withLock { $0.door }?.wait()
        if let refusal = takeRefusal() { throw refusal }
    }

    func takeRefusal() -> UploadError? {
        let isRefused = state.withLock { state in
            guard state.refusals > 0 else { return false }
            state.refusals -= 1
            return true
        }
        return isRefused ? Self.refusal : nil
    }

    static let refusal = UploadError(
        .rejected, "the destination refuses it", response: ServerResponse(status: 422, body: Data("no".utf8)))
}
