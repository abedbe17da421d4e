import Testing

@testable import UploadClient

@Suite("Who is told") struct TellingRuleTests {
    @Test func `the program that started it comes first, while it runs`() {
        #expect(TellingRule.decide(isOwn: false, isOwnerAlive: true, isTaken: false, hasDelegate: true) == .wait)
        #expect(TellingRule.decide(isOwn: true, isOwnerAlive: true, isTaken: false, hasDelegate: true) == .delegate)
        #expect(TellingRule.decide(isOwn: true, isOwnerAlive: true, isTaken: true, hasDelegate: false) == .told)
    }

    @Test func `whoever has a delegate is told of what nobody awaits any more`() {
        #expect(TellingRule.decide(isOwn: false, isOwnerAlive: false, isTaken: false, hasDelegate: true) == .delegate)
        #expect(TellingRule.decide(isOwn: false, isOwnerAlive: false, isTaken: false, hasDelegate: false) == .wait)
    }

    @Test func `what nobody has taken waits, and a delegate hears also of what a handle gave`() {
        #expect(TellingRule.decide(isOwn: true, isOwnerAlive: true, isTaken: false, hasDelegate: false) == .wait)
        #expect(TellingRule.decide(isOwn: true, isOwnerAlive: true, isTaken: true, hasDelegate: true) == .delegate)
    }
}
