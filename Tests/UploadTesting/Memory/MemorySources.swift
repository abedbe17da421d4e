public import Uploads

/// Provides sources of zero bytes, locked while they are open.
public final class MemorySources: SourceProvider {
    private let log: MemoryLog

    public init(log: MemoryLog) { self.log = log }

    public func claim(_ job: UploadJob) async throws(UploadError) -> SourceClaim {
        log.count { counts in
            counts.openSources += 1
            counts.claimedSources += 1
            counts.jobsInFlight.insert(job.id)
            counts.jobsInFlightMaximum = max(counts.jobsInFlightMaximum, counts.jobsInFlight.count)
        }
        return .claimed(MemorySource(job: job, log: log))
    }

    public func removeStagedCopy(of job: UploadJob) async throws(UploadError) {
        log.count { $0.removedCopies.append(job.id) }
    }
}

struct MemorySource: UploadSource {
    let job: UploadJob
    let log: MemoryLog

    var size: Int64 { job.size }

    func read(_ range: Range<Int64>) -> any AsyncSequence<any SourceBuffer, any Error> & Sendable {
        AsyncThrowingStream<any SourceBuffer, any Error> { continuation in
            continuation.yield([UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound)))
            continuation.finish()
        }
    }

    func verifyUnchanged() async throws(UploadError) {}

    func close() async {
        log.count { counts in
            counts.openSources -= 1
            counts.jobsInFlight.remove(job.id)
        }
    }
}
