import RabbitMQ
import Testing
import UploadTesting

@Suite(.timeLimit(.minutes(10))) struct SignalTests {
    @Test func `a signal wakes the waiting callers, and lets later callers through at once`() async {
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
}
