import Foundation
import Uploads

/// The state of a followed upload, and the latest news that led to it. Events count in the order of their arrival until
/// an answer of the notifier is later; an answer counts if it is later than all earlier news. Pure.
struct FollowedUpload: Sendable {
    private(set) var update: UploadUpdate
    /// The round whose end is awaited.
    let round: Int
    /// The latest event.
    private var heard: NewsPoint?
    /// The latest answer.
    private var answered: NewsPoint?

    init(_ update: UploadUpdate, round: Int) {
        self.update = update
        self.round = round
    }

    /// Applies an event other than an end.
    /// - Returns: whether the event counts.
    mutating func hear(_ event: UploadEvent) -> Bool {
        let point = NewsPoint(event)
        if let answered, point < answered { return false }
        heard = max(heard ?? point, point)
        update.apply(event)
        return true
    }

    /// Applies the notifier's answer. An end does not count here: the outcome comes complete, and once, with its event.
    /// - Returns: whether the answer counts.
    mutating func learn(_ report: JobReport) -> Bool {
        guard !report.status.isEnd, report.round >= round else { return false }
        let point = NewsPoint(report)
        for known in [heard, answered].compactMap(\.self) where point <= known { return false }
        answered = point
        update.apply(report)
        return true
    }

    /// Changes the shown state.
    mutating func change(_ body: (inout UploadUpdate) -> Void) { body(&update) }
}

extension UploadUpdate {
    /// Applies an event other than an end.
    fileprivate mutating func apply(_ event: UploadEvent) {
        learnSize(of: event.job)
        if event.data.baton.isCancel {
            // During a cancellation, `started` and `waiting` describe the worker that cancels.
            status = .cancelling(until: event.data.waitingUntil)
            bytesPerSecond = nil
            return
        }
        // A cancellation stays: this event was sent before it.
        if case .cancelling = status { return }
        switch event.kind {
        case .started: status = .running
        case .progress:
            status = .running
            bytesDone = event.data.bytesDone ?? bytesDone
            bytesPerSecond = event.data.bytesPerSecond
        case .waiting:
            status = .waiting(
                until: event.data.waitingUntil, reason: event.data.reason, event.data.error)
            bytesPerSecond = nil
        case .paused:
            status = .paused
            bytesPerSecond = nil
        case .enqueued, .handedOver:
            status = .queued
            bytesPerSecond = nil
        case .suspect, .completed, .failed, .cancelled: break
        }
    }

    /// Applies an answer about an unfinished upload.
    fileprivate mutating func apply(_ report: JobReport) {
        if let size = report.size {
            bytesTotal = size
            isSizeKnown = true
        }
        if report.isCancelling {
            status = .cancelling(until: report.waitingUntil)
            bytesPerSecond = nil
            return
        }
        // A cancellation stays: this answer is older.
        if case .cancelling = status { return }
        bytesDone = report.bytesDone ?? bytesDone
        bytesPerSecond = report.bytesPerSecond
        switch report.status {
        case .queued: status = .queued
        case .running: status = .running
        case .waiting:
            let trouble = report.trouble.map { UploadError(report.code ?? .unknown, $0) }
            status = .waiting(until: report.waitingUntil, reason: report.reason, trouble)
        case .paused: status = .paused
        case .completed, .failed, .cancelled: break
        }
    }
}
