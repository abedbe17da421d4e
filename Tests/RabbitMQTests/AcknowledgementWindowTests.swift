import Testing

@testable import RabbitMQ

@Suite struct AcknowledgementWindowTests {
    private let start = ContinuousClock.now
    private var late: ContinuousClock.Instant { start + .seconds(1) }

    private func window(delivered count: UInt64) -> AcknowledgementWindow {
        var window = AcknowledgementWindow()
        window.delivered(count)
        return window
    }

    @Test func `What is settled without a gap goes out as one`() {
        var window = window(delivered: 200)
        for tag in (1...150).shuffled() { #expect(window.acknowledge(UInt64(tag), at: start) == true) }
        #expect(window.isDue(at: start))
        #expect(window.flush(at: start) == [.acknowledge(150, multiple: true)])
        #expect(window.isClean)
        #expect(window.flush(at: late) == [])
        #expect(window.lowWaterMark == 150)
    }

    @Test func `What lies above a gap waits a little, then goes out alone`() {
        var window = window(delivered: 10)
        window.acknowledge(1, at: start)
        window.acknowledge(3, at: start)
        #expect(window.flush(at: start) == [.acknowledge(1, multiple: false)])
        #expect(!window.isDue(at: start))
        #expect(window.deadline != nil)
        #expect(window.isDue(at: late))
        #expect(window.flush(at: late) == [.acknowledge(3, multiple: false)])
        window.acknowledge(2, at: late)
        window.acknowledge(4, at: late)
        #expect(window.flush(at: late) == [.acknowledge(4, multiple: true)])
    }

    @Test func `Many above a gap do not wait`() {
        var window = window(delivered: 100)
        window.heldMaximum = 4
        for tag in 2...4 as ClosedRange<UInt64> { window.acknowledge(tag, at: start) }
        #expect(!window.isDue(at: start))
        window.acknowledge(9, at: start)
        #expect(window.isDue(at: start))
        #expect(window.flush(at: start).count == 4)
    }

    @Test func `The last flush leaves nothing behind`() {
        var window = window(delivered: 100)
        window.acknowledge(50, at: start)
        #expect(window.flush(at: start, isFinal: true) == [.acknowledge(50, multiple: false)])
        #expect(window.isClean)
    }

    @Test func `A multiple acknowledgement never names a delivery that was rejected`() {
        var window = window(delivered: 5)
        window.acknowledge(1, at: start)
        window.acknowledge(2, at: start)
        window.reject(3, requeue: true)
        #expect(window.flush(at: start) == [.reject(3, requeue: true), .acknowledge(2, multiple: true)])
    }

    @Test func `Settling twice, or what was not delivered, changes nothing`() {
        var window = window(delivered: 5)
        #expect(window.acknowledge(2, at: start) == true)
        #expect(window.acknowledge(2, at: start) == false)
        #expect(window.reject(2, requeue: true) == false)
        #expect(window.acknowledge(0, at: start) == false)
        #expect(window.acknowledge(6, at: start) == false)
        #expect(window.acknowledge(.max, at: start) == false)
        #expect(window.flush(at: start, isFinal: true) == [.acknowledge(2, multiple: false)])
        #expect(window.acknowledge(2, at: start) == false)
    }

    /// Against a model of the broker, which closes the channel for an unknown tag.
    @Test func `Whatever the order, the broker hears of each delivery exactly once`() {
        for _ in 0..<100 {
            var window = AcknowledgementWindow()
            var outstanding: Set<UInt64> = []
            var acknowledged: Set<UInt64> = []
            var open: [UInt64] = []
            var delivered: UInt64 = 0
            var now = start

            func obey(_ instructions: [AcknowledgementWindow.Instruction]) {
                for instruction in instructions {
                    switch instruction {
                    case .reject(let tag, _): #expect(outstanding.remove(tag) != nil)
                    case .acknowledge(let tag, false):
                        #expect(outstanding.remove(tag) != nil)
                        #expect(acknowledged.contains(tag))
                    case .acknowledge(let tag, true):
                        #expect(outstanding.contains(tag))
                        let covered = outstanding.filter { $0 <= tag }
                        #expect(covered.isSubset(of: acknowledged))
                        outstanding.subtract(covered)
                    }
                }
            }

            for _ in 0..<600 {
                switch Int.random(in: 0..<10) {
                case 0..<5:
                    delivered += 1
                    window.delivered(delivered)
                    outstanding.insert(delivered)
                    open.append(delivered)
                case 5..<9:
                    guard let index = open.indices.randomElement() else { continue }
                    let tag = open.remove(at: Int.random(in: 0..<4) == 0 ? index : 0)
                    if Int.random(in: 0..<5) == 0 {
                        #expect(window.reject(tag, requeue: true) == true)
                    } else {
                        acknowledged.insert(tag)
                        #expect(window.acknowledge(tag, at: now) == true)
                    }
                default:
                    now += .milliseconds(Int.random(in: 0..<3))
                    obey(window.flush(at: now))
                }
            }
            obey(window.flush(at: now, isFinal: true))
            #expect(outstanding == Set(open))
            #expect(window.isClean)
        }
    }
}
