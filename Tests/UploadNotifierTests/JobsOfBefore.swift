import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// Jobs as a ledger has them from before their errors and apps had columns.
enum JobsOfBefore {
    /// One job of each status: the failed one with an error, the queued one of an app, the running one with a pause, and the cancelled one
    /// with a row that cannot be read.
    static func make() -> [LedgerJob] {
        LedgerStatus.allCases.map { status in
            var order = Sample.job(key: "\(status)")
            order.destination = .named(DestinationName(unchecked: "photos"), key: "\(status)")
            if status == .queued { order.client = "gallery" }
            var job = LedgerJob(Baton(job: order.redacted), isWhole: true, at: Sample.start)
            job.status = status
            if status == .running { job.pausedThrough = job.generation }
            if status == .failed {
                let error = UploadError(.accessDenied, "no")
                job.end = RoundEnd(kind: .failed, event: "end", at: Sample.start, error: error)
            }
            return job
        }
    }

    static func record(of job: LedgerJob) throws -> Data {
        job.status == .cancelled ? Data("{".utf8) : try WireJSON.encode(job)
    }

    static func expectFound(_ jobs: [LedgerJob], in ledger: any LedgerConformance.Ports) async throws {
        func id(_ status: LedgerStatus) -> [JobID] { jobs.filter { $0.status == status }.map(\.id) }
        var filter = LedgerFilter()
        filter.code = .accessDenied
        #expect(try await ledger.jobs(filter).jobs.map(\.id) == id(.failed))
        filter = LedgerFilter()
        filter.client = "gallery"
        #expect(try await ledger.jobs(filter).jobs.map(\.id) == id(.queued))
        let resumed = try await ledger.transaction { store throws in
            try store.page(OrderFilter(), for: .resume, after: nil, limit: 10).jobs
        }
        #expect(Set(resumed) == Set(id(.paused) + id(.running)))
        #expect(try await ledger.count(OrderFilter(), for: .resume) == 2)
    }
}
