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
    private let isLossTold = Mutex(false)
    private let span = Mutex<TraceParent?>(nil)

    /// What the events of the baton name.
    var eventTrace: TraceParent? { span.withLock { $0 } ?? trace }
    /// What the baton names when it is handed on: all slices of a job have the same parent.
    var batonTrace: TraceParent? { trace ?? span.withLock { $0 } }

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

    func onLoss(_ callback: @escaping @Sendable (BatonValidity) -> Void) -> @Sendable () -> Void {
        let check = { @Sendable [weak self] in
            guard let self else { return }
            let validity = validityNow
            guard validity != .holds else { return }
            let isFirst = isLossTold.withLock { isLossTold in
                defer { isLossTold = true }
                return !isLossTold
            }
            if isFirst { callback(validity) }
        }
        let loss = tenure.lost.onFire(check)
        let observer = publisher.log.observe(check)
        check()
        return { [tenure, log = publisher.log] in
            tenure.lost.remove(loss)
            log.removeObserver(observer)
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

    func progress(bytesDone: Int64, bytesPerSecond: Double, partBytes: Int64?) {
        guard tenure.holds else { return }
        var event = UploadEvent(kind: .progress, of: baton, at: publisher.now())
        event.data.bytesDone = bytesDone
        event.data.partBytes = partBytes
        event.data.bytesPerSecond = bytesPerSecond.isFinite ? bytesPerSecond : 0
        publisher.post(event, of: self)
    }

    func note(span: TraceParent) { self.span.withLock { $0 = span } }

    private var validityNow: BatonValidity {
        tenure.holds ? publisher.log.view.validity(of: baton, at: publisher.worker) : .disconnected
    }
}
