import Foundation
import Testing
import Uploads

@testable import UploadWorkers

struct SliceTimesTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func times(startedAfter: Duration? = .seconds(1), slice: Duration = .seconds(300)) -> SliceTimes {
        SliceTimes(
            WorkerConfiguration(slice: slice, consumerTimeout: .seconds(900), progressInterval: .seconds(2)),
            startedAfter: startedAfter, size: 1000, now: start)
    }

    @Test func `the start is due once, then the progress at its interval`() {
        var times = times()
        #expect(times.next == .seconds(1))
        #expect(times.due(at: .seconds(1), done: nil, now: start + 1) == [.started])
        #expect(times.next == .seconds(2))
        #expect(times.due(at: .seconds(2), done: 0, now: start + 2) == [.progress(bytesDone: 0, bytesPerSecond: 0)])
        #expect(times.next == .seconds(4))
        let due = times.due(at: .seconds(4), done: 300, now: start + 4)
        #expect(due == [.progress(bytesDone: 300, bytesPerSecond: 150)])
        // Bytes that are sent again count once; a rate is never negative.
        #expect(times.due(at: .seconds(6), done: 100, now: start + 6) == [.progress(bytesDone: 100, bytesPerSecond: 0)])
    }

    @Test func `a slice that only removes a copy is not reported as started`() {
        var times = times(startedAfter: nil)
        #expect(times.next == .seconds(2))
        #expect(times.due(at: .seconds(2), done: nil, now: start + 2) == [])
    }

    @Test(arguments: [300, 700]) func `the ends of the slice and of an uncut step come in their order, once each`(
        slice: Int
    ) {
        var times = times(startedAfter: nil, slice: .seconds(slice))
        let facts = times.due(at: .seconds(5000), done: nil, now: start + 5000)
        let sliceEnd = SliceTimes.Due.fact(.sliceTimeReached)
        let uncutEnd = SliceTimes.Due.fact(.uncutTimeReached)
        #expect(facts == (slice == 300 ? [sliceEnd, uncutEnd] : [uncutEnd, sliceEnd]))
        #expect(times.due(at: .seconds(9000), done: nil, now: start + 9000) == [])
    }

    @Test func `what is late is due at the next look, and the interval counts from then`() {
        var times = times()
        #expect(times.due(at: .seconds(7), done: nil, now: start + 7) == [.started])
        #expect(times.next == .seconds(9))
    }
}
