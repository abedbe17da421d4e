import RabbitMQ
import Synchronization

/// Fires a signal when all participants have checked off.
final class Countdown: Sendable {
    private let left: Mutex<Int>
    private let signal: Signal

    init(_ count: Int, firing signal: Signal) {
        left = Mutex(count)
        self.signal = signal
    }

    func checkOff() {
        let left = left.withLock { left in
            left -= 1
            return left
        }
        if left == 0 { signal.fire() }
    }
}
