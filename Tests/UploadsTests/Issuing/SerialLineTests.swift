import Foundation
import Testing

@testable import Uploads

@Suite("The arithmetic of a serial line") struct SerialLineTests {
    @Test(arguments: 0..<50 as Range<UInt64>) func `a number between two neighbours keeps their order`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var numbers: [Int64] = []
        var renumberings = 0
        for _ in 0..<500 {
            // Mostly in the same place, so that room runs out.
            let isElsewhere = Int.random(in: 0..<40, using: &random) == 0
            let index = isElsewhere ? Int.random(in: 0...numbers.count, using: &random) : min(1, numbers.count)
            func neighbours() -> (Int64?, Int64?) {
                (index == 0 ? nil : numbers[index - 1], index == numbers.count ? nil : numbers[index])
            }
            var number = SerialLine.number(after: neighbours().0, before: neighbours().1)
            if number == nil {
                renumberings += 1
                numbers = numbers.indices.map { SerialLine.number(at: $0) }
                number = SerialLine.number(after: neighbours().0, before: neighbours().1)
            }
            guard let number else {
                Issue.record("no room in a line that was numbered anew")
                return
            }
            numbers.insert(number, at: index)
            guard zip(numbers, numbers.dropFirst()).allSatisfy(<) else {
                Issue.record("the order is lost at \(index)")
                return
            }
        }
        #expect(renumberings > 0)
        #expect(renumberings < 100)
    }

    @Test func `beyond the last number there is none`() {
        #expect(SerialLine.number(after: .max, before: nil) == nil)
        #expect(SerialLine.number(after: nil, before: .min) == nil)
        #expect(SerialLine.number(after: .min, before: .max) == nil)
        #expect(SerialLine.number(after: 4, before: 5) == nil)
        #expect(SerialLine.number(after: 4, before: 6) == 5)
    }

    @Test func `behind another means behind it while it waits, next when it has run, and the index otherwise`() {
        var order = IssuingScene.inlineOrder
        order.serial = .end
        var other = LedgerJob(Baton(job: order), isWhole: true, at: order.enqueuedAt)
        let place = SerialPosition(index: 7, after: order.id)
        other.line = .waiting
        #expect(SerialLine.target(of: place, behind: other) == .behind(order.id))
        other.line = .released
        #expect(SerialLine.target(of: place, behind: other) == .index(0))
        other.line = nil
        #expect(SerialLine.target(of: place, behind: other) == .index(7))
        other.end = RoundEnd(kind: .failed, event: "x", at: order.enqueuedAt)
        #expect(SerialLine.target(of: place, behind: other) == .index(0))
        other.end = RoundEnd(kind: .cancelled, event: "x", at: order.enqueuedAt)
        #expect(SerialLine.target(of: place, behind: other) == .index(7))
        #expect(SerialLine.target(of: place, behind: nil) == .index(7))
        #expect(SerialLine.target(of: .end, behind: nil) == .end)
        #expect(SerialLine.target(of: .next, behind: nil) == .index(0))
    }

    @Test func `only one is on its way`() {
        #expect(SerialLine.releasesNext(ofThoseOnTheirWay: 0))
        #expect(!SerialLine.releasesNext(ofThoseOnTheirWay: 1))
        #expect(!SerialLine.releasesNext(ofThoseOnTheirWay: 2))
    }
}
