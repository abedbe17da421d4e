import Testing

@testable import UploadClientTesting

@Suite("The embedded upload manager", .timeLimit(.minutes(10))) struct EmbeddedUploadManagerTests {
    @Test(arguments: UploadManagerConformance.rules)
    func `does what every upload manager must do`(rule: UploadManagerConformance.Rule) async throws {
        try await UploadManagerConformance.check(rule, with: try EmbeddedRig())
    }
}
