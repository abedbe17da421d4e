import Foundation
import UploadSources
import Uploads

/// The orders that make the broker's serial line equal to ``line``.
extension SessionList {
    /// The next session whose jobs are to be handed over, in order. A session that was paused before its hand-over
    /// holds back all behind it.
    var nextToHandOver: UUID? {
        guard isStarted else { return nil }
        for id in line {
            guard let session = self[id], !session.isIdle else { continue }
            if !session.isHandedOver { return session.isPaused ? nil : id }
            guard session.files.contains(where: { !$0.isAccepted && !$0.state.isEnd }) else { continue }
            // Files were added while the session was held, and no job is in line before it.
            return session.isPaused && arrangement.isEmpty ? nil : id
        }
        return nil
    }

    var isModeToTell: Bool {
        isStarted ? isStoppedAtBroker : !isStoppedAtBroker && sessions.contains { $0.isHandedOver && !$0.state.isEnd }
    }

    var nextToCancel: TransferSession? { sessions.first { $0.isCancelling && !$0.isCancelTold } }

    var nextToPauseOrResume: TransferSession? {
        sessions.first {
            $0.isHandedOver && !$0.state.isEnd && !$0.isGivingWay && !$0.isCancelling && $0.isPaused != $0.isPauseTold
        }
    }

    /// Whether the broker does not have all changes yet.
    var isPending: Bool {
        nextToHandOver != nil || isModeToTell || nextToCancel != nil || nextToPauseOrResume != nil
            || (isStarted && isToArrange)
    }

    /// The jobs of the serial line in the order in which they are to run.
    var arrangement: [JobID] { line.compactMap { self[$0] }.filter(\.isHandedOver).flatMap(\.openJobs) }

    /// Names the jobs of a session, so that a repeated hand-over makes no second job.
    mutating func beginHandingOver(_ id: UUID, queue: QueueName, namespace: String) {
        guard let index = sessions.firstIndex(where: { $0.id == id }) else { return }
        sessions[index].isHandedOver = true
        for (file, known) in sessions[index].files.enumerated() where known.job == nil && !known.state.isEnd {
            sessions[index].files[file].job = JobID(
                namespace: namespace, queue: queue, idempotencyKey: Self.key(of: sessions[index], file)
            ).inLine(of: queue)
        }
    }

    static func key(of session: TransferSession, _ file: Int) -> String {
        "transfer.\(session.id.uuidString.lowercased()).\(session.run).\(file)"
    }

    /// The position of a job in the broker's serial line.
    func position(of id: UUID, _ file: Int) -> SerialPosition {
        guard let place = line.firstIndex(of: id), let session = self[id] else { return .end }
        let ahead = line[..<place].compactMap { self[$0] }.filter(\.isHandedOver).flatMap(\.openJobs)
        let jobs = ahead + session.files[..<file].compactMap { $0.state.isEnd ? nil : $0.job }
        guard let last = jobs.last else { return .next }
        // The first job has its turn, and does not count among the waiting jobs.
        return SerialPosition(index: jobs.count - 1, after: last)
    }

    mutating func accepted(_ job: JobID) {
        change(job) { $0.isAccepted = true }
        // The notifier refused an earlier cancellation, because it did not know the job.
        for index in sessions.indices where sessions[index].isCancelling && sessions[index].openJobs.contains(job) {
            sessions[index].isCancelTold = false
        }
    }

    /// Notes that the notifier no longer knows the job: it is handed over again.
    mutating func lost(_ job: JobID) {
        change(job) { $0.isAccepted = false }
    }

    private mutating func change(_ job: JobID, _ body: (inout TransferSession.File) -> Void) {
        for index in sessions.indices {
            for file in sessions[index].files.indices where sessions[index].files[file].job == job {
                body(&sessions[index].files[file])
            }
        }
    }
}
