package import Foundation
import GRDB
package import Uploads

extension Ledger {
    package func heldQueues(after queue: QueueName?, now: Date, limit: Int) async throws(UploadError) -> HeldQueues {
        try await read { db in try HoldRows(db: db).queues(after: queue, now: now, limit: limit) }
    }
}
