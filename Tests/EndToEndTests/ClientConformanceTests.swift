import Testing
import UploadTesting

@testable import UploadClientTesting

/// The manager over the broker does what every upload manager must do: with a real broker that is killed in between.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ClientConformanceTests {
    /// Rules from one death of the broker to the next.
    private static let killInterval = 8

    @Test func theManagerOverTheBrokerDoesWhatEveryUploadManagerMustDo() async throws {
        let node = try await BrokerNode.start()
        do {
            try await Deployment.with(broker: node) { deployment in
                try deployment.start(.notifier)
                let rig = try await BrokerRig(deployment)
                for (number, rule) in UploadManagerConformance.rules.enumerated() {
                    if number % Self.killInterval == Self.killInterval / 2 {
                        try await node.kill()
                        try await node.restart()
                    }
                    let suite = try UploadManagerConformance(rig)
                    do {
                        try await rule.check(suite)
                    } catch {
                        Issue.record("\(rule): \(error)")
                    }
                    await rig.closeManagers()
                }
                try await rig.end()
            }
        } catch {
            try await node.stop()
            throw error
        }
        try await node.stop()
    }
}
