import Foundation
import Synchronization
import Uploads

/// The receiver's answer as far as it has arrived. Once the status is there it counts, even if the body breaks off.
final class WebhookAnswer: Sendable {
    private struct State {
        var head: ServerResponse?
        var body = Data()
    }

    private let state = Mutex(State())

    /// nil before the status has come.
    var response: ServerResponse? {
        state.withLock { state in
            state.head.map { ServerResponse(status: $0.status, headers: $0.headers, body: state.body) }
        }
    }

    func begin(_ head: ServerResponse) { state.withLock { $0.head = head } }

    func add(_ bytes: some Collection<UInt8>, keeping countMaximum: Int) {
        state.withLock { $0.body.append(contentsOf: bytes.prefix(countMaximum - $0.body.count)) }
    }
}
