import Synchronization
public import Uploads

/// A delivery of a ``MemoryJobQueue``.
public final class MemoryClaim: ClaimedBaton {
    public let baton: Baton
    public let lane: Lane
    private let current = Mutex(BatonValidity.holds)
    private let listener = Mutex<(@Sendable (BatonValidity) -> Void)?>(nil)
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
        tellLoss()
    }

    public func validity() async -> BatonValidity { current.withLock { $0 } }

    public func onLoss(_ callback: @escaping @Sendable (BatonValidity) -> Void) -> @Sendable () -> Void {
        listener.withLock { $0 = callback }
        tellLoss()
        return { [weak self] in self?.listener.withLock { $0 = nil } }
    }

    private func tellLoss() {
        let validity = current.withLock { $0 }
        guard validity != .holds else { return }
        let told = listener.withLock { listener in
            defer { listener = nil }
            return listener
        }
        told?(validity)
    }

    public func started(state: UploadState?) async throws(UploadError) {
        log.count { $0.started.append(MemoryLog.Started(job: baton.job.id, slice: baton.slice, state: state)) }
    }

    public func progress(bytesDone: Int64, bytesPerSecond: Double, partBytes: Int64?) {
        log.count {
            $0.progress.append(MemoryLog.Progress(job: baton.job.id, bytesDone: bytesDone, partBytes: partBytes))
        }
    }
}

extension ClaimedBaton {
    /// Waits until the baton no longer `holds`.
    /// - Returns: `holds` only if the task is cancelled.
    public func loss() async -> BatonValidity {
        let (losses, told) = AsyncStream.makeStream(of: BatonValidity.self)
        let end = onLoss { told.yield($0) }
        defer { end() }
        return await losses.first { _ in true } ?? .holds
    }
}
