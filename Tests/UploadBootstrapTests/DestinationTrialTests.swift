import Synchronization
import Testing
import UploadDestinations
import UploadTesting
import Uploads

@testable import UploadBootstrap

@Suite(.timeLimit(.minutes(10)))
struct DestinationTrialTests {
    private static let reference = DestinationReference.named(DestinationName(unchecked: "memory"), key: "x")

    private func run(_ destination: any Destination, writes: Bool) async -> [TrialStep] {
        let steps = Mutex<[TrialStep]>([])
        await DestinationTrial(destination: destination, reference: Self.reference, writes: writes).run { step in
            steps.withLock { $0.append(step) }
        }
        return steps.withLock { $0 }
    }

    @Test(arguments: [false, true])
    func `what fails in the middle is removed, and nothing is kept open`(writes: Bool) async {
        let log = MemoryLog()
        let destination = MemoryDestination(partSize: 8 << 20, log: log) { _, _, _ throws(UploadError) in
            throw UploadError(.serverFailure, "no space: free some")
        }
        let steps = await run(destination, writes: writes)
        let expected: [TrialStep.Name] = writes ? [.look, .write, .remove] : [.look, .begin, .send, .remove]
        #expect(steps.map(\.step) == expected)
        #expect(steps.first { $0.result == .failed }?.detail == "no space: free some")
        #expect(steps.last?.result == .done)
        #expect(destination.sessionCount == 0 && log.counts.openSessions == 0)
    }

    /// The driver learns only from the server's answer that the server takes plain uploads only.
    @Test func `a server that takes whole files only is left as it is`() async throws {
        let server = try await NginxServer()
        let destination = try ResumableDestination(ResumableConfiguration(url: server.url))
        let steps = await run(destination, writes: false)
        #expect(steps.map(\.step) == [.look, .begin])
        #expect(steps.last?.result == .skipped)
        #expect(steps.last?.detail.contains("whole files only") == true)
        #expect(try server.names().isEmpty)
    }
}
