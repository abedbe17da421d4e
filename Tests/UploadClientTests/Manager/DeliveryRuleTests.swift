import Testing

@testable import UploadClient

@Suite("The program that delivers an outcome") struct DeliveryRuleTests {
    @Test func `the program that started it comes first, while it runs`() {
        #expect(!DeliveryRule.isToDeliver(isOwn: false, isOwnerAlive: true, hasDelegate: true))
        #expect(DeliveryRule.isToDeliver(isOwn: true, isOwnerAlive: true, hasDelegate: true))
    }

    @Test func `another program's delegate is told of what a program left that is gone`() {
        #expect(DeliveryRule.isToDeliver(isOwn: false, isOwnerAlive: false, hasDelegate: true))
    }

    @Test func `without a delegate nothing is told`() {
        for isOwn in [true, false] {
            for isOwnerAlive in [true, false] {
                #expect(!DeliveryRule.isToDeliver(isOwn: isOwn, isOwnerAlive: isOwnerAlive, hasDelegate: false))
            }
        }
    }

    @Test func `only a program that never had a delegate takes what its handles gave for told`() {
        #expect(DeliveryRule.closing(hasDelegate: true, hadDelegate: true) == .deliver)
        #expect(DeliveryRule.closing(hasDelegate: false, hadDelegate: true) == .leave)
        #expect(DeliveryRule.closing(hasDelegate: false, hadDelegate: false) == .countGiven)
    }

    @Test func `what handles gave is kept for a delegate that may come, up to a limit`() {
        var given = GivenOutcomes()
        for number in 1...GivenOutcomes.countMaximum { #expect(given.add("\(number)").isEmpty) }
        #expect(given.add("one more").count == GivenOutcomes.countMaximum + 1)
        #expect(given.ids.isEmpty)
        _ = given.add("a")
        #expect(given.takeAll() == ["a"] && given.ids.isEmpty)
        _ = given.add("b")
        given.delegateWasSet()
        #expect(given.add("c").isEmpty && given.takeAll().isEmpty)
    }
}
