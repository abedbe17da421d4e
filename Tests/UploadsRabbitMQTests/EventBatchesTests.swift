import Testing

@testable import UploadsRabbitMQ

@Suite struct EventBatchesTests {
    @Test func `an event alone leaves at once, and the next ones together behind it`() {
        var batches = EventBatches<Int>()
        #expect(batches.add(1, bytes: 10) == [1])
        #expect(batches.add(2, bytes: 10) == [])
        #expect(batches.add(3, bytes: 10) == [])
        #expect(batches.ended() == [2, 3])
        #expect(batches.ended() == [])
        #expect(batches.isIdle)
        #expect(batches.add(4, bytes: 10) == [4])
    }

    @Test func `a full message waits for no confirm`() {
        var batches = EventBatches<Int>()
        _ = batches.add(0, bytes: 10)
        for number in 1..<EventBatches<Int>.countMaximum { #expect(batches.add(number, bytes: 10) == []) }
        #expect(batches.add(64, bytes: 10) == Array(1...64))
        #expect(batches.underWay == 2)
        #expect(batches.add(65, bytes: 10) == [])
        #expect(batches.ended() == [], "the other message is still on its way")
        #expect(batches.ended() == [65])
    }

    @Test func `a message stays below the bytes, and a larger event travels alone`() {
        let maximum = EventBatches<Int>.bytesMaximum
        var batches = EventBatches<Int>()
        _ = batches.add(0, bytes: 10)
        #expect(batches.add(1, bytes: maximum - 10) == [])
        #expect(batches.add(2, bytes: 20) == [1])
        #expect(batches.add(3, bytes: maximum * 2) == [2])
        #expect(batches.ended() == [])
        #expect(batches.ended() == [])
        #expect(batches.ended() == [3])
        #expect(batches.ended() == [])
        #expect(batches.isIdle)
    }
}
