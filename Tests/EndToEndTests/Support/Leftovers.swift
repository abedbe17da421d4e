import Foundation
import Synchronization

/// Removes at the end of the test process the things that must not outlive it, even after a failed test.
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
