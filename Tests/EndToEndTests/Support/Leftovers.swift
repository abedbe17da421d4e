import Foundation
import Synchronization

/// What must not outlive the test process, whatever a failing test left behind.
final class Leftovers: Sendable {
    static let shared = Leftovers()

    private let pids = Mutex<Set<Int32>>([])

    private init() {
        atexit { Leftovers.shared.killAll() }
    }

    func add(_ pid: Int32) { _ = pids.withLock { $0.insert(pid) } }
    func remove(_ pid: Int32) { _ = pids.withLock { $0.remove(pid) } }
    private func killAll() { pids.withLock { for pid in $0 { kill(pid, SIGKILL) } } }
}
