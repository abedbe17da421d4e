import Testing
import Uploads

@Suite struct SaturatingTests {
    @Test func `sums stay at the nearest value that there is`() {
        #expect([Int64.max, 1].sumSaturating() == .max)
        #expect([Int64.min, -1].sumSaturating() == .min)
        #expect([UInt8(200), 100].sumSaturating() == 255)
        #expect([1, 2, 3].sumSaturating() == 6)
        #expect([Int]().sumSaturating() == 0)
    }

    @Test func `jobs of a queue are counted whatever its row says`() {
        let load = QueueLoad(queue: .standard, counts: [.queued: .max, .running: .max, .failed: 5])
        #expect(load.live == .max)
    }
}
