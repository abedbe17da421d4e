import Testing

@testable import UploadsRabbitMQ

@Suite(.timeLimit(.minutes(10))) struct SignalTests {
    @Test func `everybody who waits is told, and whoever comes later too`() async {
        let signal = Signal()
        async let first: Void = signal.wait()
        async let second: Void = signal.wait()
        signal.fire()
        _ = await (first, second)
        await signal.wait()
        #expect(signal.isFired)
    }

    @Test func `a removed callback is not called`() {
        let calls = Box(0)
        let signal = Signal()
        let id = signal.onFire { calls.change { $0 += 1 } }
        signal.onFire { calls.change { $0 += 10 } }
        signal.remove(id)
        signal.fire()
        signal.fire()
        #expect(calls.value == 10)
    }

    @Test func `a wait ends with its limit, with another signal, and with its task`() async {
        let signal = Signal()
        #expect(await !signal.wait(atMost: .milliseconds(1)))
        let other = Signal()
        other.fire()
        #expect(await !signal.wait(or: other))
        let waiting = Task { await signal.wait(atMost: nil) }
        waiting.cancel()
        #expect(await !waiting.value)
    }

    @Test func `an operation is cancelled by the signal and not by its caller`() async {
        let signal = Signal()
        let caller = Task {
            await signal.cancelling {
                // Only a cancellation ends this.
                try? await Task.sleep(for: .seconds(3600))
                return Task.isCancelled
            }
        }
        caller.cancel()
        signal.fire()
        #expect(await caller.value)
    }

    @Test func `the lock lets in one at a time`() async {
        let lock = AsyncLock()
        let inside = Box((now: 0, most: 0))
        let tasks = (0..<50).map { _ in
            Task {
                await lock.acquire()
                inside.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                await Task.yield()
                inside.change { $0.now -= 1 }
                lock.release()
            }
        }
        for task in tasks { await task.value }
        #expect(inside.value.most == 1)
    }
}
