import Foundation
import RabbitMQ
import Synchronization
import Uploads

/// A delivered baton, while its slice works.
final class ClaimedDelivery: ClaimedBaton {
    let baton: Baton
    let lane: Lane
    let trace: TraceParent?
    let tenure: Tenure
    private let publisher: SettlementPublisher
    private let hasStarted = Mutex(false)

    init(baton: Baton, lane: Lane, trace: TraceParent?, tenure: Tenure, publisher: SettlementPublisher) {
        self.baton = baton
        self.lane = lane
        self.trace = trace
        self.tenure = tenure
        self.publisher = publisher
    }

    func validity() async -> BatonValidity {
        // Rule 9: epoch and lock. The baton of a lost connection no longer counts.
        guard tenure.holds else { return .disconnected }
        // Rule 1: lineage. After 10 s of silence the control log is read up to a marker first.
        await publisher.log.refreshIfSilent(unless: tenure.lost)
        return validityNow
    }

    func loss() async -> BatonValidity {
        while true {
            let changed = Signal()
            let loss = tenure.lost.onFire { changed.fire() }
            let observer = publisher.log.observe { [weak self] in
                if self?.validityNow != .holds { changed.fire() }
            }
            defer {
                tenure.lost.remove(loss)
                publisher.log.removeObserver(observer)
            }
            if validityNow == .holds { await changed.wait(atMost: nil) }
            let validity = validityNow
            if validity != .holds || Task.isCancelled { return validity }
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
        let now = publisher.now()
        held.startedAt = held.startedAt ?? now
        // Rule 4: progress or poison. Only a confirmed start counts against a job that stops its worker.
        let event = UploadEvent(kind: .started, of: held, at: now)
        guard await publisher.tell(event, of: self) else {
            throw UploadError(.networkFailure, "the broker's connection was lost before the start was recorded")
        }
    }

    func progress(bytesDone: Int64, bytesPerSecond: Double) {
        guard tenure.holds else { return }
        var event = UploadEvent(kind: .progress, of: baton, at: publisher.now())
        event.data.bytesDone = bytesDone
        event.data.bytesPerSecond = bytesPerSecond.isFinite ? bytesPerSecond : 0
        publisher.post(event, of: self)
    }

    private var validityNow: BatonValidity {
        tenure.holds ? publisher.log.view.validity(of: baton) : .disconnected
    }
}
