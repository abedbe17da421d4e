import Testing
import UploadTesting

@testable import UploadClientTesting

/// The manager over the broker obeys the rules of every upload manager, with a real broker that is killed in between.
@Suite(.serialized, .timeLimit(.minutes(40))) struct ClientConformanceTests {
    /// The number of rules between two kills of the broker.
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

    /// A rule that fails lets the others run; a rule that hangs ends the test, with the state in its message.
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
