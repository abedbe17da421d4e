import Synchronization
public import Uploads

/// A delivery of a ``MemoryJobQueue``.
public final class MemoryClaim: ClaimedBaton {
    public let baton: Baton
    public let lane: Lane
    private let current = Mutex(Standing.holds)
    private let isLost = Door()
    private let log: MemoryLog

    init(_ baton: Baton, lane: Lane, standing: Standing, log: MemoryLog) {
        self.baton = baton
        self.lane = lane
        self.log = log
        log.count { $0.liveClaims += 1 }
        set(standing)
    }

    deinit { log.count { $0.liveClaims -= 1 } }

    /// Makes the baton stand otherwise.
    public func set(_ standing: Standing) {
        current.withLock { $0 = standing }
        if standing != .holds { isLost.open() }
    }

    public func standing() async -> Standing { current.withLock { $0 } }

    public func loss() async -> Standing {
        await isLost.wait()
        return current.withLock { $0 }
    }

    public func started(state: UploadState?) async throws(UploadError) {
        log.count { $0.started.append(MemoryLog.Started(job: baton.job.id, slice: baton.slice, state: state)) }
    }

    public func progress(bytesDone: Int64, bytesPerSecond: Double) {
        log.count { $0.progress.append(MemoryLog.Progress(job: baton.job.id, bytesDone: bytesDone)) }
    }
}
