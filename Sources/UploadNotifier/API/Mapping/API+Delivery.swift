import Uploads
import UploadsAPI

extension API.Delivery {
    init(_ record: DeliveryRecord) {
        self.init(
            id: record.id, delegate: record.delegate, event: record.event, job: record.job,
            status: record.status.rawValue, attempts: record.attempts, createdAt: record.createdAt, dueAt: record.dueAt,
            deliveredAt: record.deliveredAt, error: record.error)
    }
}

extension API.Attempt {
    init(_ attempt: DeliveryAttempt) {
        self.init(
            at: attempt.at, seconds: attempt.seconds, status: attempt.status, answer: attempt.answer,
            error: attempt.error)
    }
}
