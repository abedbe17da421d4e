import Foundation
import Synchronization
import Uploads

/// The queues of delegates. Delegates are configured before the notifier has a connection, so the broker is set later.
final class BrokerDelegateQueues: DelegateQueues {
    private let broker = Mutex<(any DelegateQueues)?>(nil)

    func use(_ connected: any DelegateQueues) { broker.withLock { $0 = connected } }

    func put(_ body: Data, of event: UploadEvent, into delegate: String) async throws(UploadError) {
        guard let broker = broker.withLock({ $0 }) else {
            throw UploadError(.networkFailure, "not connected to the broker yet; the delivery is repeated")
        }
        try await broker.put(body, of: event, into: delegate)
    }
}
