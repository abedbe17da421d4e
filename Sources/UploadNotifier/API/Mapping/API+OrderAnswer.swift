import Foundation
import Uploads
import UploadsAPI

extension API.OrderAnswer {
    /// - Parameter answer: nil while the notifier has not decided: the order waits in its queue, and holds.
    init(_ order: UploadOrder, _ answer: OrderAnswer?) {
        self.init(
            order: order.id.uuidString, isDecided: answer != nil, matched: answer?.matched, done: answer?.done,
            jobs: answer?.jobs.map { API.OrderedJob($0) })
    }

    init(dryRunOf order: UploadOrder, _ preview: OrderPreview) {
        self.init(
            order: order.id.uuidString, isDecided: true, dryRun: true, matched: preview.matched,
            mayBeMore: preview.mayBeMore ? true : nil, done: 0, jobs: [])
    }
}

extension API.OrderedJob {
    init(_ job: OrderAnswer.Job) {
        self.init(id: job.id.rawValue, done: job.done, reason: job.reason, round: job.round)
    }
}
