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
                let notifier = try deployment.start(.notifier)
                let rig = try await BrokerRig(deployment)
                for (number, rule) in UploadManagerConformance.rules.enumerated() {
                    if number % Self.killInterval == Self.killInterval / 2 {
                        try await node.kill()
                        try await node.restart()
                    }
                    try await check(rule, rig, notifier)
                }
                try await limited("the worker and its broker connections end") { try await rig.end() }
            }
        } catch {
            try await node.stop()
            throw error
        }
        try await node.stop()
    }

    /// One rule that does not hold leaves the others to be tried; one that hangs ends the test, with what is known of it.
    private func check(
        _ rule: UploadManagerConformance.Rule, _ rig: BrokerRig, _ notifier: RunningProgram
    ) async throws {
        let state: @Sendable () async -> String = { await rig.state + "; \(notifier.errorText.suffix(2000))" }
        let suite = try UploadManagerConformance(rig)
        try await limited("rule '\(rule)' is tried", showing: state) {
            do {
                try await rule.check(suite)
            } catch {
                Issue.record("\(rule): \(error)")
            }
        }
        try await limited("the managers of rule '\(rule)' close", showing: state) { await rig.closeManagers() }
    }
}
