import Foundation
import RabbitMQ
import Testing
import Uploads

@testable import UploadsRabbitMQ

@Suite struct DelayLadderTests {
    private static let epoch = Date(timeIntervalSince1970: 1_800_000_000)

    let topology: UploadTopology
    init() throws { topology = try UploadTopology(namespace: "upload") }

    /// Follows a routing key through the ladder by its bindings alone.
    /// - Parameter start: where the message is published; nil: at the top.
    private func walk(_ key: String, from start: String? = nil) -> (milliseconds: Int64, landing: String, levels: Int) {
        let ladder = topology.ladder
        let words = key.split(separator: ".").map(String.init)
        var place = start ?? topology.ladderTop
        var milliseconds: Int64 = 0
        var levels = 0
        while place != topology.due, levels < 100 {
            levels += 1
            let matching = ladder.bindings.filter { $0.source == place && matches(words, $0.routingKey) }
            guard matching.count == 1, let way = matching.first else { return (-1, place, levels) }
            switch way.destination {
            case .exchange(let next): place = next
            case .queue(let name):
                guard let queue = ladder.queues.first(where: { $0.name == name }),
                    let next = queue.arguments["x-dead-letter-exchange"]?.string
                else { return (-2, place, levels) }
                milliseconds += queue.arguments["x-message-ttl"]?.integer ?? 0
                place = next
            }
        }
        let landing = topology.lanes(of: .standard).bindings.first {
            $0.source == topology.due && matches(words, $0.routingKey)
        }
        guard case .queue(let name)? = landing?.destination else { return (milliseconds, "nowhere", levels) }
        return (milliseconds, name, levels)
    }

    /// The topic exchange's rule for patterns of `*` and words with at most one `#`, at the end.
    private func matches(_ words: [String], _ pattern: String) -> Bool {
        var parts = pattern.split(separator: ".").map(String.init)
        let isOpen = parts.last == "#"
        if isOpen { parts.removeLast() }
        guard isOpen ? words.count >= parts.count : words.count == parts.count else { return false }
        return zip(words, parts).allSatisfy { $1 == "*" || $0 == $1 }
    }

    @Test(arguments: [1, 2, 3, 5, 10, 59, 60, 600, 3600, 86_400, 4_194_302, 4_194_303])
    func `every delay takes exactly its seconds to its lane`(_ seconds: Int) {
        let (milliseconds, landing, levels) = walk(
            topology.delayKey(seconds: Double(seconds), .standard, .continued, JobID()))
        #expect(milliseconds == Int64(seconds) * 1000)
        #expect(landing == "upload.jobs.default.continued")
        #expect(levels == 22)
        let direct = walk(
            topology.delayKey(seconds: Double(seconds), .standard, .continued, JobID()),
            from: topology.ladderEntry(seconds: Double(seconds)))
        #expect(direct.milliseconds == milliseconds && direct.landing == landing)
        #expect(direct.levels == String(seconds, radix: 2).count, "no level above the highest bit")
    }

    @Test func `random delays are exact, and a queue name that looks like a bit does not mislead the ladder`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let seconds = Int.random(in: 1...UploadTopology.delaySecondsMaximum, using: &generator)
            let key = topology.delayKey(seconds: Double(seconds), .standard, .bulk, JobID())
            #expect(walk(key).milliseconds == seconds * 1000)
            #expect(walk(key, from: topology.ladderEntry(seconds: Double(seconds))).milliseconds == seconds * 1000)
        }
        let key = topology.delayKey(seconds: 1, try QueueName("1"), .normal, JobID())
        #expect(walk(key).landing == "nowhere")
        #expect(walk(key).milliseconds == 1000)
    }

    /// Seeded, and spread over all magnitudes: as many delays of seconds as of weeks.
    @Test func `any delay from 1 s to 30 days comes never early and at most a second late`() throws {
        var generator = SplitMix(state: 4)
        for _ in 0..<400 {
            let seconds = exp(Double.random(in: 0...log(30 * 86_400), using: &generator))
            let walked = walk(topology.delayKey(seconds: seconds, .standard, .normal, JobID()))
            #expect(walked.landing == "upload.jobs.default.normal", "\(seconds) s")
            let lateness = Double(walked.milliseconds) / 1000 - seconds
            #expect(lateness >= 0 && lateness < 1, "\(seconds) s")
        }
    }

    /// Late levels delay a job by their own delay and no more. A job that comes back before it is due, because its
    /// delay is longer than the ladder, waits again.
    @Test
    func `a wait that is planned anew each time it comes by is never early, and a second late beside what was lost`()
        throws
    {
        var generator = SplitMix(state: 5)
        for _ in 0..<200 {
            let due = exp(Double.random(in: 0...log(200 * 86_400), using: &generator))
            var now = 0.0
            var lost = 0.0
            var waits = 0
            while now < due {
                let plan = SettlementPlan(
                    SettledSlice(.wait(until: Self.epoch + due, reason: .scheduled, state: nil)), of: Samples.baton(),
                    now: Self.epoch + now)
                let delay = try #require(plan.onward?.delay)
                let late = Bool.random(using: &generator) ? 0 : Double.random(in: 0...30, using: &generator)
                now +=
                    Double(walk(topology.delayKey(seconds: delay, .standard, .normal, JobID())).milliseconds) / 1000
                    + late
                lost += late
                waits += 1
            }
            // A date in doubles is exact to a microsecond here.
            #expect(now >= due - 1e-5)
            #expect(now - due <= max(1, Double(waits)) + lost, "\(due) s")
            #expect(waits <= 1 + Int(due) / UploadTopology.delaySecondsMaximum + 1)
        }
    }

    @Test func `fractions are rounded up, so nothing comes early`() {
        #expect(UploadTopology.delayBits(1.001) == UploadTopology.delayBits(2))
        #expect(UploadTopology.delayBits(2) != UploadTopology.delayBits(3))
    }

    @Test(arguments: [(0.0, 1), (-5, 1), (.nan, 1), (-.infinity, 1), (.infinity, 4_194_303), (1e12, 4_194_303)])
    func `what is out of range becomes the nearest delay`(_ seconds: Double, _ expected: Int) {
        #expect(UploadTopology.delayBits(seconds) == UploadTopology.delayBits(Double(expected)))
        #expect(topology.ladderEntry(seconds: seconds) == topology.ladderEntry(seconds: Double(expected)))
    }

    @Test func `22 bits, most significant first`() {
        #expect(UploadTopology.delayBits(5) == String(repeating: "0.", count: 19) + "1.0.1")
        #expect(topology.ladderTop == "upload.delay.21")
        #expect(topology.ladder.exchanges.count == 22 && topology.ladder.queues.count == 22)
    }

    @Test func `a routing key stays within 255 bytes for the longest queue name`() throws {
        let queue = try QueueName(String(repeating: "q", count: 64))
        #expect(topology.delayKey(seconds: 4_194_303, queue, .continued, JobID()).utf8.count <= 255)
    }

    @Test func `a level keeps its messages until the next one has confirmed them`() {
        for queue in topology.ladder.queues {
            #expect(queue.arguments["x-dead-letter-strategy"]?.string == "at-least-once")
            #expect(queue.arguments["x-overflow"]?.string == "reject-publish")
        }
    }
}

/// A small generator with a seed (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
