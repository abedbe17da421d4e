import Foundation
import Logging
import Synchronization
import Testing

@testable import UploadBootstrap

struct RepeatedTroublesTests {
    private let start = Date(timeIntervalSince1970: 1_790_000_000)

    private func trouble(_ message: String = "delivery failed", delegate: String = "a", job: String = "1")
        -> RepeatedTroubles.Trouble
    {
        RepeatedTroubles.Trouble(.warning, message, ["delegate": "\(delegate)", "job": "\(job)"])
    }

    @Test func `of many troubles of one kind with one thing the first and each doubling are told, and the end`() {
        var troubles = RepeatedTroubles()
        let told = (0..<100).compactMap { troubles.take(trouble(job: "\($0)"), at: start + Double($0))?.count }
        #expect(told == [1, 2, 4, 8, 16, 32, 64])
        #expect(troubles.ended(by: start + 99 + RepeatedTroubles.silence - 1).isEmpty)
        let ends = troubles.ended(by: start + 99 + RepeatedTroubles.silence)
        #expect(ends.map(\.series.count) == [100])
        #expect(ends.first?.series.since == start && ends.first?.series.last == start + 99)
        #expect(ends.first?.trouble.things == ["delegate": "a"])
        #expect(troubles.ended(by: .distantFuture).isEmpty)
        #expect(troubles.take(trouble(), at: start + 10_000)?.count == 1, "it begins anew")
    }

    @Test func `another kind, another thing and another level are other troubles`() {
        var troubles = RepeatedTroubles()
        let others = [
            trouble(), trouble("paused"), trouble(delegate: "b"),
            RepeatedTroubles.Trouble(.error, "delivery failed", ["delegate": "a"]),
        ]
        for other in others { #expect(troubles.take(other, at: start)?.count == 1) }
        // An error may be the only word of a job.
        for job in 0..<5 {
            let lost = RepeatedTroubles.Trouble(.error, "given up", ["delegate": "a", "job": "\(job)"])
            #expect(troubles.take(lost, at: start)?.count == 1)
        }
    }

    @Test func `what comes seldom is told each time, and an end whose number was told is not told again`() {
        var troubles = RepeatedTroubles()
        for hour in 0..<3 { #expect(troubles.take(trouble(), at: start + Double(hour) * 3600)?.count == 1) }
        _ = troubles.take(trouble(), at: start + 7201)
        #expect(troubles.ended(by: start + 20_000).isEmpty)
    }

    @Test func `at the end of the program the ends of all series are told`() {
        let lines = Mutex<[String]>([])
        let handler = StandardErrorLogHandler(level: .info, format: .text) { line in lines.withLock { $0.append(line) }
        }.endingWithProgram()
        let logger = Logger(label: "test") { _ in handler }
        for _ in 0..<7 { logger.warning("delivery failed", metadata: ["delegate": "a"]) }
        #expect(lines.withLock { $0.count } == 3)
        TroubleLog.tellAllEnds()
        let told = lines.withLock { $0 }
        #expect(told.count == 4)
        #expect(told.last?.contains("no more since: delivery failed") == true)
        #expect(told.last?.contains("delegate=a") == true && told.last?.contains("times=7") == true)
    }

    @Test func `two files are two things`() {
        var troubles = RepeatedTroubles()
        for file in ["a", "b"] {
            let trouble = RepeatedTroubles.Trouble(.error, "set aside", ["file": "\(file)"])
            #expect(troubles.take(trouble, at: start)?.count == 1)
        }
    }

    @Test func `beyond the most kinds each trouble is told`() {
        var troubles = RepeatedTroubles()
        for number in 0..<RepeatedTroubles.seriesMaximum { _ = troubles.take(trouble("\(number)"), at: start) }
        for _ in 0..<5 { #expect(troubles.take(trouble("one more"), at: start)?.count == 1) }
        #expect(troubles.take(trouble("7"), at: start)?.count == 2)
    }

    @Test func `all copies of a logger count together, and information is never held back`() {
        let lines = Mutex<[String]>([])
        let handler = StandardErrorLogHandler(level: .info, format: .text) { line in lines.withLock { $0.append(line) }
        }
        let logger = Logger(label: "test") { _ in handler }
        var copy = logger
        copy[metadataKey: "delegate"] = "a"
        for number in 0..<5 {
            logger.warning("delivery failed", metadata: ["delegate": "a", "job": "\(number)"])
            copy.info("delivered")
        }
        copy.warning("delivery failed")
        let told = lines.withLock { $0.filter { $0.contains("failed") } }
        #expect(told.count == 3)
        #expect(told.last?.contains("times=4") == true && told.last?.contains("since=") == true)
        #expect(lines.withLock { $0.count { $0.contains("delivered") } } == 5)
    }
}
