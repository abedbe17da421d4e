import Testing

@testable import UploadClient

struct OutboxWarningsTests {
    @Test func `each is warned of at once, and again after an hour`() {
        let warnings = OutboxWarnings()
        let start = ContinuousClock.now
        #expect(warnings.isDue("a", at: start))
        #expect(!warnings.isDue("a", at: start + .seconds(3599)))
        #expect(warnings.isDue("b", at: start + .seconds(3599)))
        #expect(warnings.isDue("a", at: start + .seconds(3600)))
        #expect(!warnings.isDue("a", at: start + .seconds(3601)))
        #expect(!warnings.isDue("b", at: start + .seconds(3601)))
    }
}
