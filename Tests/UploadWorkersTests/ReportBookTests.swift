import Foundation
import Testing
import Uploads

@testable import UploadWorkers

@Suite struct ReportBookTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let photos = DestinationOrigin(.named(DestinationName(unchecked: "photos"), key: "a"))

    private func facts(_ change: (inout ReportBook.Facts) -> Void = { _ in }) throws -> ReportBook.Facts {
        var facts = ReportBook.Facts(origin: try #require(photos), label: "photos")
        change(&facts)
        return facts
    }

    @Test func `jobs under way are reported at once, and then every ten seconds with their pace`() throws {
        var book = ReportBook(worker: "w")
        #expect(book.due([], at: start - 1).isEmpty)
        var reports: [DestinationReport] = []
        for second in 0...25 {
            reports += book.due(
                [
                    try facts {
                        $0.jobsInFlight = 2
                        $0.partsInFlight = 3
                        $0.visitCount = 2
                        $0.bytesSent = second * 100
                        $0.isHeld = true
                        $0.limits = TransferLimits(bytesPerSecond: 100)
                    }
                ], at: start + Double(second))
        }
        #expect(reports.map { $0.at.timeIntervalSince(start) } == [0, 10, 20])
        #expect(reports.map(\.pace.bytesPerSecond) == [0, 100, 100])
        let last = try #require(reports.last)
        #expect(last.worker == "w" && last.destination == "photos" && last.origin == nil)
        #expect(last.jobsInFlight == 2 && last.partsInFlight == 3 && last.pace.isHeld)
        #expect(last.limits == TransferLimits(bytesPerSecond: 100))
    }

    @Test func `a change of the circuit does not wait`() throws {
        var book = ReportBook(worker: "w")
        var told: [DestinationReport.CircuitState] = []
        let states: [(Circuit.State, Date?)] = [
            (.closed, nil), (.open, start + 5), (.open, start + 5), (.halfOpen, nil), (.open, start + 30),
            (.open, start + 90),
            (.closed, nil), (.closed, nil),
        ]
        for (second, state) in states.enumerated() {
            told += book.due(
                [
                    try facts {
                        ($0.circuit, $0.until) = state
                        $0.jobsInFlight = 1
                    }
                ], at: start + Double(second)
            ).map(\.circuit)
        }
        #expect(told == [.closed, .open, .halfOpen, .open, .open, .closed])
    }

    @Test func `a destination that has fallen idle is reported once more, and then no more`() throws {
        var book = ReportBook(worker: "w")
        var times: [Double] = []
        var last: DestinationReport?
        for second in 0..<100 {
            let report = book.due(
                [
                    try facts {
                        $0.jobsInFlight = second < 3 ? 1 : 0
                        $0.visitCount = 1
                        $0.bytesSent = min(second, 3) * 100
                    }
                ], at: start + Double(second)
            ).first
            guard let report else { continue }
            times.append(Double(second))
            last = report
        }
        #expect(times == [0, 10])
        #expect(last?.jobsInFlight == 0 && last?.pace.bytesPerSecond == 0)
    }

    @Test func `a job that came and went between two looks is reported, and an unused destination is not`() throws {
        var book = ReportBook(worker: "w")
        #expect(book.due([try facts()], at: start).isEmpty)
        #expect(book.due([try facts { $0.visitCount = 1 }], at: start + 1).count == 1)
        #expect(book.due([try facts { $0.visitCount = 1 }], at: start + 20).isEmpty)
        #expect(book.due([try facts { $0.visitCount = 2 }], at: start + 21).count == 1)
        #expect(book.due([try facts { $0.visitCount = 9 }], at: start + 22).isEmpty, "at most every ten seconds")
        #expect(book.due([try facts { $0.visitCount = 9 }], at: start + 31).count == 1)
    }

    @Test func `after a long rest the pace is that of the last seconds`() throws {
        var book = ReportBook(worker: "w")
        for second in 0..<600 {
            _ = book.due([try facts { $0.visitCount = 1 }], at: start + Double(second))
        }
        let report = book.due(
            [
                try facts {
                    $0.visitCount = 2
                    $0.jobsInFlight = 1
                    $0.bytesSent = 500
                }
            ], at: start + 600)
        #expect(report.map(\.pace.bytesPerSecond) == [500])
    }

    @Test func `a clock that was set back silences nothing`() throws {
        var book = ReportBook(worker: "w")
        #expect(book.due([try facts { $0.jobsInFlight = 1 }], at: start).count == 1)
        let report = book.due([try facts { $0.jobsInFlight = 1 }], at: start - 3600)
        #expect(report.map(\.pace.bytesPerSecond) == [0])
    }

    @Test func `the host of a URL is reported with its origin`() throws {
        var book = ReportBook(worker: "w")
        let origin = try #require(DestinationOrigin(.url("https://host.example:8443/a?signature=hidden")))
        let report = book.due(
            [ReportBook.Facts(origin: origin, label: "https", circuit: .open, until: start + 3)], at: start
        ).first
        #expect(report?.destination == "https" && report?.origin == "https://host.example:8443")
        #expect(report?.routingKey == "destination._.https")
    }
}
