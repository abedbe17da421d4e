import Foundation
import Testing

@testable import UploadBootstrap

struct InterruptionTests {
    @Test(.timeLimit(.minutes(10))) func `the first signal cancels what is under way`() async {
        let interruption = Interruption(signals: [])
        await #expect(throws: CancellationError.self) {
            try await interruption.cancelling {
                interruption.received(SIGTERM)
                try await Task.sleep(for: .seconds(600))
            }
        }
        #expect(interruption.wasInterrupted)
    }

    @Test(.timeLimit(.minutes(10))) func `what begins after the signal is cancelled at once`() async {
        let interruption = Interruption(signals: [])
        interruption.received(SIGTERM)
        await #expect(throws: CancellationError.self) {
            try await interruption.cancelling { try await Task.sleep(for: .seconds(600)) }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a terminal that goes says so twice, and what it cancelled still tidies up`()
        async
    {
        let interruption = Interruption(signals: [])
        interruption.received(SIGHUP)
        interruption.received(SIGHUP)
        #expect(interruption.wasInterrupted)
        await #expect(throws: CancellationError.self) {
            try await interruption.cancelling { try await Task.sleep(for: .seconds(600)) }
        }
    }

    @Test(.timeLimit(.minutes(10))) func `undisturbed the value comes back`() async throws {
        #expect(try await Interruption(signals: []).cancelling { 7 } == 7)
    }
}
