import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// What the metrics of the whole pool show, and the bounds of their labels.
@Suite struct PoolMetricsTests {
    private let start = Sample.start

    private func load(_ queue: String, _ counts: [LedgerStatus: Int]) -> QueueLoad {
        QueueLoad(queue: QueueName(unchecked: queue), counts: counts)
    }

    @Test func `only so many queues label metrics, those with the most work, and a queue keeps its label`() {
        let most = QueueLabels.countMaximum
        var labels = QueueLabels()
        let loads = (0..<most + 20).map { load("q\($0)", [.queued: $0]) }
        labels.update(loads)
        #expect(labels.known.count == most)
        #expect(labels.label(of: QueueName(unchecked: "q\(most)")) == "q\(most)")
        #expect(labels.label(of: QueueName(unchecked: "q3")) == QueueLabels.others)
        // Another queue has more work now, and there is no room for it.
        labels.update(loads.map { $0.queue.rawValue == "q3" ? load("q3", [.queued: 9999]) : $0 })
        #expect(labels.label(of: QueueName(unchecked: "q3")) == QueueLabels.others)
        // The room of queues that are gone is free.
        labels.update(loads.filter { $0.queue.rawValue != "q50" })
        #expect(labels.known.count == most && !labels.known.contains("q50"))
        #expect(labels.label(of: QueueName(unchecked: "q19")) == "q19")
    }

    @Test func `jobs of queues without a label of their own are added up, and each status is shown`() {
        var figures = PoolFigures()
        figures.add(load("a", [.queued: 2, .failed: 1]), as: "a")
        figures.add(load("b", [.queued: 3]), as: QueueLabels.others)
        figures.add(load("c", [.queued: 4]), as: QueueLabels.others)
        #expect(figures.jobs[["a", "queued"]] == 2)
        #expect(figures.jobs[["a", "failed"]] == 1)
        #expect(figures.jobs[["a", "running"]] == 0)
        #expect(figures.jobs[[QueueLabels.others, "queued"]] == 7)
        #expect(figures.jobs.count == 2 * LedgerStatus.allCases.count)
    }

    @Test func `depths are by lane`() {
        var figures = PoolFigures()
        figures.add(
            [.normal: LaneDepth(messages: 7, consumers: 2), .bulk: LaneDepth(messages: 0, consumers: 3)], as: "a")
        #expect(figures.depths == [["a", "normal"]: 7, ["a", "bulk"]: 0])
    }

    @Test func `live workers are counted by state, and those that take jobs by queue`() {
        func entry(_ name: String, _ state: WorkerReport.State, _ queues: String...) -> LatestWorkers.Entry {
            LatestWorkers.Entry(
                report: WorkerReport(
                    worker: name, host: "host", version: "1", queues: queues.map { QueueName(unchecked: $0) },
                    state: state, slotsUsed: 0, slots: 1, startedAt: start, at: start), heardAt: start)
        }
        let labels = Dictionary(
            uniqueKeysWithValues: [("a", "a"), ("b", "b"), ("c", "other"), ("d", "other")].map {
                (QueueName(unchecked: $0.0), $0.1)
            })
        var figures = PoolFigures()
        figures.add(
            [
                entry("1", .running, "a", "c", "d"), entry("2", .draining, "a"), entry("4", .drained, "a"),
                entry("3", .running, "a", "strange"),
            ], labels)
        #expect(figures.liveWorkers == [["running"]: 2, ["draining"]: 1, ["drained"]: 1])
        #expect(figures.workers == [["a"]: 2, ["b"]: 0, ["other"]: 1])
        figures.add([], labels)
        #expect(figures.liveWorkers == [["running"]: 0, ["draining"]: 0, ["drained"]: 0])
        #expect(figures.workers == [["a"]: 0, ["b"]: 0, ["other"]: 0])
    }

    @Test func `a lane is as old as its oldest job, from when it was due`() {
        func job(_ lane: Lane, enqueued: Double, notBefore: Double? = nil) -> LedgerJob {
            var job = UploadJob(
                id: JobID(now: start + enqueued), priority: lane, source: .staged(area: "area", name: "a"),
                destination: .named(DestinationName(unchecked: "photos"), key: "a"), size: 5,
                enqueuedAt: start + enqueued)
            job.notBefore = notBefore.map { start + $0 }
            return LedgerJob(Baton(job: job), isWhole: true, at: start)
        }
        var figures = PoolFigures()
        figures.add(
            oldestOf: [
                job(.normal, enqueued: 10), job(.normal, enqueued: 50), job(.bulk, enqueued: 0, notBefore: 70),
                job(.urgent, enqueued: 0, notBefore: 1000),
            ], as: "a", now: start + 100)
        #expect(figures.ages == [["a", "normal"]: 90, ["a", "bulk"]: 30], "what is not due yet has no age")
    }

    @Test func `the delegates that label metrics which stay are bounded`() {
        for number in 0..<DelegateLabels.countMaximum { _ = DelegateLabels.label(of: "bounded-\(number)") }
        #expect(DelegateLabels.label(of: "bounded-one-more") == DelegateLabels.others)
    }
}
