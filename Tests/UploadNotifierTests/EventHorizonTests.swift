import Testing

@testable import UploadNotifier

@Suite struct EventHorizonTests {
    @Test func `events are safe once the transactions have ended that ran when they were the last`() {
        let (horizon, start) = (EventHorizon(), ContinuousClock.now)
        #expect(horizon.safe(last: 10, oldest: 7, next: 7, at: start) == 10)
        // Transaction 7 runs, and may have taken the number 11; 12 is there.
        #expect(horizon.safe(last: 12, oldest: 7, next: 9, at: start) == 10)
        // 9 came later. It cannot have taken a number up to 12.
        #expect(horizon.safe(last: 15, oldest: 8, next: 10, at: start) == 10)
        #expect(horizon.safe(last: 15, oldest: 9, next: 10, at: start) == 12)
        #expect(horizon.safe(last: 16, oldest: 10, next: 12, at: start) == 15)
        #expect(horizon.safe(last: 16, oldest: 12, next: 12, at: start) == 16)
    }

    @Test func `a transaction of another program that never ends holds up events for half a minute at most`() {
        let (horizon, start) = (EventHorizon(), ContinuousClock.now)
        #expect(horizon.safe(last: 5, oldest: 1, next: 3, at: start) == 0)
        #expect(horizon.safe(last: 6, oldest: 1, next: 9, at: start + .seconds(29)) == 0)
        #expect(horizon.safe(last: 9, oldest: 1, next: 12, at: start + .seconds(31)) == 5)
    }

    @Test func `events that were removed leave nothing to wait for`() {
        let horizon = EventHorizon()
        #expect(horizon.safe(last: 10, oldest: 3, next: 3) == 10)
        #expect(horizon.safe(last: 4, oldest: 3, next: 3) == 4)
    }
}
