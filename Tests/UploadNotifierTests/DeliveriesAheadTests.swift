import Foundation
import Testing
import Uploads

@testable import UploadNotifier

struct DeliveriesAheadTests {
    private static let event = UploadEvent(kind: .completed, of: Baton(job: Sample.job()), at: Sample.start)
    private let start = ContinuousClock.now

    private func deliveries(_ ids: ClosedRange<Int64>) -> [DelegateDelivery] {
        ids.map { DelegateDelivery(id: $0, delegate: "hook", event: Self.event, attempts: 0, dueAt: Sample.start) }
    }

    @Test func `what was read ahead is taken in order, for as long as it fills all free places`() {
        var ahead = DeliveriesAhead()
        #expect(ahead.take(2, at: start) == nil)
        #expect(ahead.keep(deliveries(1...6), free: 2, asked: start).map(\.id) == [1, 2])
        #expect(ahead.take(1, at: start)?.map(\.id) == [3])
        #expect(ahead.take(2, at: start)?.map(\.id) == [4, 5])
        #expect(ahead.take(2, at: start) == nil)
        #expect(ahead.take(1, at: start) == nil)
    }

    @Test func `it counts for a moment only`() {
        var ahead = DeliveriesAhead()
        _ = ahead.keep(deliveries(1...6), free: 2, asked: start)
        #expect(ahead.take(1, at: start + DeliveriesAhead.patience) == nil)
    }

    @Test func `a pause forgets it, also what is being read at that time`() {
        var ahead = DeliveriesAhead()
        _ = ahead.keep(deliveries(1...6), free: 2, asked: start)
        ahead.clear(at: start + .milliseconds(2))
        #expect(ahead.take(1, at: start + .milliseconds(3)) == nil)
        #expect(ahead.keep(deliveries(1...6), free: 2, asked: start + .milliseconds(1)).count == 2)
        #expect(ahead.take(1, at: start + .milliseconds(3)) == nil)
        _ = ahead.keep(deliveries(1...6), free: 2, asked: start + .milliseconds(3))
        #expect(ahead.take(1, at: start + .milliseconds(4))?.map(\.id) == [3])
    }

    @Test func `a quick delegate gets more at a time, a slow one fewer`() {
        var ahead = DeliveriesAhead()
        for _ in 0..<10 {
            let read = deliveries(1...Int64(1 + ahead.count))
            _ = ahead.keep(read, free: 1, asked: start)
            while ahead.take(1, at: start) != nil {}
        }
        #expect(ahead.count == DeliveriesAhead.countMaximum)
        _ = ahead.keep(deliveries(1...65), free: 1, asked: start)
        for _ in 0..<10 { _ = ahead.take(1, at: start) }
        #expect(ahead.take(1, at: start + DeliveriesAhead.patience) == nil)
        #expect(ahead.count == 10)
        _ = ahead.keep(deliveries(1...11), free: 1, asked: start)
        #expect(ahead.take(1, at: start + DeliveriesAhead.patience) == nil)
        #expect(ahead.count == DeliveriesAhead.countMinimum)
    }
}
