import Synchronization
import UploadClient
import Uploads

/// A delegate that remembers its outcomes, and may refuse some.
final class Told: UploadDelegate {
    private struct State: Sendable {
        var outcomes: [UploadOutcome] = []
        var refusals = 0
    }

    private let state: Mutex<State>

    init(refusing refusals: Int = 0) { state = Mutex(State(refusals: refusals)) }

    var outcomes: [UploadOutcome] { state.withLock { $0.outcomes } }
    var ids: [String] { outcomes.map(\.id) }

    func uploadDidEnd(_ outcome: UploadOutcome) async throws {
        try state.withLock { state in
            if state.refusals > 0 {
                state.refusals -= 1
                throw UploadError(.unknown, "not now")
            }
            state.outcomes.append(outcome)
        }
    }
}
