import Testing

@testable import UploadClientTesting

@Suite("The embedded upload manager", .timeLimit(.minutes(10))) struct EmbeddedUploadManagerTests {
    @Test(arguments: UploadManagerConformance.rules)
    func `does what every upload manager must do`(rule: UploadManagerConformance.Rule) async throws {
        let rig = try EmbeddedRig()
        do {
            try await rule.check(try UploadManagerConformance(rig))
            await rig.end()
        } catch {
            await rig.end()
            throw error
        }
    }
}
