import Synchronization
public import Uploads

/// A delivery of a ``MemoryJobQueue``.
public final class MemoryClaim: ClaimedBaton {
    public let baton: Baton
    public let lane: Lane
    private let current = Mutex(BatonValidity.holds)
    private let isLost = Door()
    private let log: MemoryLog

    init(_ baton: Baton, lane: Lane, validity: BatonValidity, log: MemoryLog) {
        self.baton = baton
        self.lane = lane
        self.log = log
        log.count { $0.liveClaims += 1 }
        set(validity)
    }

    deinit { log.count { $0.liveClaims -= 1 } }

    /// Changes the baton's validity.
    public func set(_ validity: BatonValidity) {
        current.withLock { $0 = validity }
        if validity != .holds { isLost.open() }
    }

    public func validity() async -> BatonValidity { current.withLock { $0 } }

    public func loss() async -> BatonValidity {
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
