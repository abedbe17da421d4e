import Synchronization
import Testing
import Uploads

@testable import UploadDestinations

@Suite struct BridgeLoginTests {
    @Test func `between two sign-ins jobs wait, and do not meet the last failure again`() async throws {
        let count = Mutex(0)
        let login = BridgeLogin(pauseSeconds: 3600) {
            count.withLock { $0 += 1 }
            return .failure(UploadError(.serverFailure, "it failed: try again"))
        }
        let bridge = DestinationReference.named(try DestinationName("bridge"), key: "a")
        let first = await #expect(throws: UploadError.self) { try await login.token() }
        #expect(first.map { FailureScope($0, of: bridge) } == .shared)
        for _ in 0..<10 {
            let later = try #require(await #expect(throws: UploadError.self) { try await login.token() })
            #expect(FailureScope(later, of: bridge) == .pause)
            #expect(CircuitEvidence(later, of: bridge, isWrite: true) == nil)
            guard case .pause(let seconds) = later.retry else {
                Issue.record("\(later)")
                return
            }
            #expect(seconds > 3000 && seconds <= 3600)
        }
        #expect(count.withLock { $0 } == 1)
    }
}
