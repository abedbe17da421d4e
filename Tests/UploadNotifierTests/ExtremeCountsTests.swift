import Foundation
import GRDB
import Testing
import Uploads
import UploadsAPI

@testable import UploadNotifier

/// Extreme counts, as damaged rows may hold them: their sums are wrong, and the notifier goes on.
@Suite(.timeLimit(.minutes(10))) struct ExtremeCountsTests {
    private func minute(_ count: Int, at time: Date = Sample.start) -> ThroughputMinute {
        ThroughputMinute(start: time, completed: count, failed: count, cancelled: count, bytes: Int64(count))
    }

    @Test func `the tallies of several destinations are summed up to the largest number`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        var other = Sample.job(key: "b")
        other.destination = .named(DestinationName(unchecked: "photos"), key: "b")
        var third = other
        third.id = JobID()
        third.queue = QueueName(unchecked: "another")
        _ = try await ledger.record(
            [Sample.job(), other, third].map { .job($0, maybeRepeated: false) }, view: ControlView(), routes: [],
            now: Sample.start)
        try await ledger.write { try $0.execute(sql: "UPDATE tallies SET jobs = 9223372036854775807") }
        #expect(try await ledger.counts() == [.queued: .max])
        let queues = try await ledger.queues(throughputSince: Sample.start)
        #expect(queues.map { $0.counts[.queued] } == [.max, .max])
        #expect(try await ledger.destinations().contains { $0.counts[.queued] == .max })
        var filter = LedgerFilter(queue: .standard)
        filter.batch = "b"
        #expect(try await ledger.jobs(filter).jobs.isEmpty)
        filter.text = "photos"
        #expect(try await ledger.jobs(filter).jobs.isEmpty)
        try ledger.close()
    }

    @Test func `the views and the dashboard's page sum up minutes of any numbers`() {
        var load = QueueLoad(queue: .standard, counts: [.queued: .max, .waiting: .max, .running: .max])
        load.throughput = [minute(.max, at: Sample.start - 60), minute(.max)]
        let view = API.Queue(load, lanes: nil, control: nil)
        var model = DashboardModel(at: Sample.start)
        model.counts = load.counts
        model.queues = [view]
        model.minutes = DashboardModel.minutes(of: [load, load], until: Sample.start)
        #expect(model.minutes.last?.completed == .max)
        let page = DashboardPage(model, for: DashboardViewer(APICaller(.dashboard)))
        #expect(page.parts.contains { $0.html.text.contains("9,223,372,036,854,775,807") })
    }

    @Test(arguments: [0, -1, Double.nan, -Double.infinity]) func `what is due is not slept for`(seconds: Double) {
        #expect(NotifierClock.pause(of: seconds) == .zero)
    }

    @Test(arguments: [1e9, 1e10, 1e21, 1e308, Double.infinity]) func `what is due in ages is slept for`(seconds: Double)
    {
        #expect(NotifierClock.pause(of: seconds) == .seconds(NotifierClock.sleepMaximum))
    }
}
