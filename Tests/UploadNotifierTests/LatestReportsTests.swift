import Foundation
import Testing
import Uploads

@testable import UploadNotifier

@Suite struct LatestReportsTests {
    private let start = Sample.start
    private var latest = LatestReports()

    private func report(
        _ worker: String, _ destination: String = "photos", origin: String? = nil, jobs: Int = 1,
        after seconds: TimeInterval = 0
    ) -> DestinationReport {
        DestinationReport(
            worker: worker, destination: destination, origin: origin, jobsInFlight: jobs, at: start + seconds)
    }

    @Test mutating func `the latest of each worker and destination is kept`() {
        latest.note(report("b"), now: start)
        latest.note(report("a", jobs: 2), now: start)
        latest.note(report("a", "tape", jobs: 3), now: start)
        latest.note(report("b", jobs: 4, after: 1), now: start + 1)
        latest.note(report("b", jobs: 5, after: 0.5), now: start + 1)
        #expect(latest.reports(at: "photos", now: start + 1).map(\.worker) == ["a", "b"])
        #expect(
            latest.reports(at: "photos", now: start + 1).map(\.jobsInFlight) == [2, 4], "what comes late does not count"
        )
        #expect(latest.reports(at: "tape", now: start + 1).map(\.jobsInFlight) == [3])
        #expect(latest.reports(at: "archive", now: start + 1).isEmpty)
        #expect(latest.destinations(now: start + 1) == ["photos", "tape"])
    }

    @Test mutating func `hosts of URLs are distinguished`() {
        latest.note(report("a", "https", origin: "https://one.example"), now: start)
        latest.note(report("a", "https", origin: "https://two.example", jobs: 2), now: start)
        #expect(latest.reports(at: "https", now: start).map(\.jobsInFlight) == [1, 2])
    }

    @Test mutating func `a worker that reports nothing for half a minute is forgotten, whatever its clock says`() {
        latest.note(report("a", after: 86_400), now: start)
        latest.note(report("b", after: -86_400), now: start + 10)
        #expect(latest.reports(at: "photos", now: start + 29).count == 2)
        #expect(latest.reports(at: "photos", now: start + 30).map(\.worker) == ["b"])
        #expect(latest.destinations(now: start + 40).isEmpty)
        latest.note(report("a"), now: start + 41)
        #expect(latest.reports(at: "photos", now: start + 41).map(\.worker) == ["a"], "its clock was set right")
    }

    @Test mutating func `there is room for so many and no more`() {
        for number in 0...LatestReports.countMaximum { latest.note(report("w\(number)"), now: start) }
        #expect(latest.reports(at: "photos", now: start).count == LatestReports.countMaximum)
        latest.note(report("w1", jobs: 7, after: 1), now: start)
        #expect(latest.reports(at: "photos", now: start).contains { $0.jobsInFlight == 7 }, "who is known is heard")
        latest.note(report("new"), now: start + 31)
        #expect(latest.reports(at: "photos", now: start + 31).map(\.worker) == ["new"])
    }

    @Test mutating func `what is far too long is not believed`() {
        latest.note(report(String(repeating: "w", count: DestinationReport.textBytesMaximum + 1)), now: start)
        #expect(latest.destinations(now: start).isEmpty)
    }
}
