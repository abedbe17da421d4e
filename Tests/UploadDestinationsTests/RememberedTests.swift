import Testing

@testable import UploadDestinations

@Suite struct RememberedTests {
    @Test func `what a server said is kept, and what was concluded for a minute`() {
        let now = ContinuousClock.now
        var known = Remembered<Int>()
        #expect(known.value(at: now) == nil)
        known.remember(1, isProved: false, at: now)
        #expect(known.value(at: now + .seconds(59)) == 1)
        #expect(known.value(at: now, isProved: true) == nil)
        #expect(known.value(at: now + .seconds(60)) == nil)
        known.remember(2, isProved: true, at: now + .seconds(60))
        #expect(known.value(at: now + .seconds(10_000), isProved: true) == 2)
        known.remember(3, isProved: false, at: now + .seconds(10_000))
        #expect(known.value(at: now + .seconds(10_059)) == 3)
        #expect(known.value(at: now, isProved: true) == 2)
        #expect(known.value(at: now + .seconds(10_060)) == 2)
    }
}
