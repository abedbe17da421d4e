import Foundation
import Synchronization
import Uploads

/// A baton while its slice works.
final class ClaimedDelivery: ClaimedBaton {
    let baton: Baton
    let lane: Lane
    let trace: TraceParent?
    let tenure: Tenure
    private let line: SettlementLine
    private let hasStarted = Mutex(false)

    init(baton: Baton, lane: Lane, trace: TraceParent?, tenure: Tenure, line: SettlementLine) {
        self.baton = baton
        self.lane = lane
        self.trace = trace
        self.tenure = tenure
        self.line = line
    }

    func standing() async -> Standing {
        guard tenure.holds else { return .disconnected }
        await line.log.refreshIfSilent(unless: tenure.lost)
        return standingNow
    }

    func loss() async -> Standing {
        while true {
            let changed = Signal()
            let loss = tenure.lost.onFire { changed.fire() }
            let observer = line.log.observe { [weak self] in
                if self?.standingNow != .holds { changed.fire() }
            }
            defer {
                tenure.lost.remove(loss)
                line.log.removeObserver(observer)
            }
            if standingNow == .holds { await changed.wait(atMost: nil) }
            let standing = standingNow
            if standing != .holds || Task.isCancelled { return standing }
        }
    }

    func started(state: UploadState?) async throws(UploadError) {
        let isFirst = hasStarted.withLock { hasStarted in
            defer { hasStarted = true }
            return !hasStarted
        }
        guard isFirst else { return }
        var held = baton
        held.state = state
        let now = line.now()
        held.startedAt = held.startedAt ?? now
        let event = UploadEvent(kind: .started, of: held, at: now)
        guard await line.tell(event, of: self) else {
            throw UploadError(.networkFailure, "the broker's connection was lost before the start was recorded")
        }
    }

    func progress(bytesDone: Int64, bytesPerSecond: Double) {
        guard tenure.holds else { return }
        var event = UploadEvent(kind: .progress, of: baton, at: line.now())
        event.data.bytesDone = bytesDone
        event.data.bytesPerSecond = bytesPerSecond.isFinite ? bytesPerSecond : 0
        line.post(event, of: self)
    }

    private var standingNow: Standing {
        tenure.holds ? line.log.view.standing(of: baton) : .disconnected
    }
}
