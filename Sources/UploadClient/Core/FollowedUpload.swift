import Foundation
import Uploads

/// What is known of an upload that is followed, and by which news. Events count in the order in which they come, as long as no later
/// answer to a question has been heard; an answer counts when it is later than all that was heard before. Pure.
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

    /// Takes an event that is no end.
    /// - Returns: whether it counts.
    mutating func hear(_ event: UploadEvent) -> Bool {
        let point = NewsPoint(event)
        if let answered, point < answered { return false }
        heard = max(heard ?? point, point)
        update.apply(event)
        return true
    }

    /// Takes what the notifier answers. An end is no news: it comes with all that belongs to it by the way by which it is told once.
    /// - Returns: whether it counts.
    mutating func learn(_ report: JobReport) -> Bool {
        guard !report.status.isEnd, report.round >= round else { return false }
        let point = NewsPoint(report)
        for known in [heard, answered].compactMap(\.self) where point <= known { return false }
        answered = point
        update.apply(report)
        return true
    }

    /// Changes what is shown.
    mutating func change(_ body: (inout UploadUpdate) -> Void) { body(&update) }
}

extension UploadUpdate {
    /// What an event that is no end says.
    fileprivate mutating func apply(_ event: UploadEvent) {
        learnSize(of: event.job)
        if event.data.baton.isCancel {
            // Its worker says `started` and `waiting` of the cancelling.
            status = .cancelling(until: event.data.waitingUntil)
            bytesPerSecond = nil
            return
        }
        // A cancellation sticks: what is heard now was told before it.
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

    /// What an answer says of one that has not ended.
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
        // A cancellation sticks: the answer is older.
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
