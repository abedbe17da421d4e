import Foundation
import Synchronization
import Uploads

/// The queues of delegates, which are configured before there is a connection to the broker.
final class BrokerDelegateQueues: DelegateQueues {
    private let broker = Mutex<(any DelegateQueues)?>(nil)

    func use(_ connected: any DelegateQueues) { broker.withLock { $0 = connected } }

    func put(_ body: Data, of event: UploadEvent, into delegate: String) async throws(UploadError) {
        guard let broker = broker.withLock({ $0 }) else {
            throw UploadError(.networkFailure, "not connected to the broker yet; it is repeated")
        }
        try await broker.put(body, of: event, into: delegate)
    }
}
