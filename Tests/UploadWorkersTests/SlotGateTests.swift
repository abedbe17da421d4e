import Synchronization
import Testing
import UploadTesting
import Uploads

@testable import UploadWorkers

@Suite(.timeLimit(.minutes(10))) struct SlotGateTests {
    let clock = ManualClock()

    func gate(_ concurrency: Int) -> SlotGate {
        SlotGate(
            concurrency: concurrency, limitPatience: .seconds(1), slotPatience: .seconds(30),
            lonePatience: .seconds(1500), crowdPatience: .seconds(5), clock: clock,
            preempt: { _ in })
    }

    func request(_ id: UInt64, limit: Int? = nil, alone: Bool = false) -> SlotRequest {
        SlotRequest(
            id: id, queue: .standard, lane: .normal, destination: "d", limits: TransferLimits(jobs: limit),
            runsAlone: alone, canYield: true)
    }

    @Test func `what lacks only a slot waits longer than what a limit holds up`() async throws {
        let gate = gate(1)
        #expect(await gate.acquire(request(1)) == .granted)
        async let second = gate.acquire(request(2))
        for second in 1...30 {
            try await eventually { clock.isAwaited(at: .seconds(second)) }
            clock.advance(by: .seconds(1))
        }
        #expect(await second == .limited)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a job that runs alone waits as long as the slowest step may take`() async throws {
        let gate = gate(2)
        #expect(await gate.acquire(request(1)) == .granted)
        async let lone = gate.acquire(request(2, alone: true))
        for second in 1...1000 {
            try await eventually { clock.isAwaited(at: .seconds(second)) }
            clock.advance(by: .seconds(1))
        }
        gate.release(request(1))
        #expect(await lone == .granted)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a freed slot goes to the waiting delivery, and its patience is called off`() async throws {
        let gate = gate(1)
        #expect(await gate.acquire(request(1)) == .granted)
        async let second = gate.acquire(request(2))
        try await eventually { clock.sleeperCount == 1 }
        gate.release(request(1))
        #expect(await second == .granted)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a delivery that is cancelled while it waits frees its place`() async throws {
        let gate = gate(1)
        #expect(await gate.acquire(request(1)) == .granted)
        let second = Task { await gate.acquire(request(2)) }
        try await eventually { clock.sleeperCount == 1 }
        second.cancel()
        #expect(await second.value == .draining)
        gate.release(request(1))
        #expect(await gate.acquire(request(3)) == .granted)
    }

    @Test func `a thousand that come and go at once are each let in once`() async {
        let gate = gate(3)
        let tally = Tally()
        await withDiscardingTaskGroup { group in
            for id in 0..<1000 as Range<UInt64> {
                let wanted = request(id, limit: 2)
                group.addTask {
                    // Most of the jobs that the limit holds up are refused at once.
                    while await gate.acquire(wanted) != .granted { await Task.yield() }
                    tally.enter()
                    await Task.yield()
                    tally.leave()
                    gate.release(request(id))
                }
            }
        }
        let counts = tally.counts
        #expect(counts.now == 0)
        #expect(counts.most <= 2)
        #expect(counts.all == 1000)
    }
}

private final class Tally: Sendable {
    private let state = Mutex((now: 0, most: 0, all: 0))

    var counts: (now: Int, most: Int, all: Int) { state.withLock { $0 } }

    func enter() {
        state.withLock { counts in
            counts.now += 1
            counts.all += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}

extension SlotGate {
    fileprivate func acquire(_ wanted: SlotRequest) async -> Admission {
        request(wanted)
        return await admission(for: wanted)
    }
}
