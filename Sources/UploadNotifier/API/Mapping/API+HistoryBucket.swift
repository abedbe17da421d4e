import Uploads
import UploadsAPI

extension API.HistoryBucket {
    init(_ bucket: HistoryBucket) {
        self.init(
            start: bucket.start, completed: bucket.completed, failed: bucket.failed, cancelled: bucket.cancelled,
            bytes: bucket.bytes)
    }
}
