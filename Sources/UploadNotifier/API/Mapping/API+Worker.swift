import Uploads
import UploadsAPI

extension API.Worker {
    init(_ entry: LatestWorkers.Entry) {
        let report = entry.report
        self.init(
            name: report.worker, host: report.host, version: report.version, commit: report.commit,
            queues: report.queues.map(\.rawValue), state: report.state.rawValue, slotsUsed: max(0, report.slotsUsed),
            slots: max(0, report.slots), jobs: report.jobs.map { API.RunningJob(id: $0.id.rawValue, since: $0.since) },
            bytesPerSecond: report.bytesPerSecond.map { min(max(0, $0), 1e15) },
            startedAt: report.startedAt, heardAt: entry.heardAt)
    }
}
