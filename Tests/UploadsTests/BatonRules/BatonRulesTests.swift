import Foundation
import Testing

@testable import Uploads

/// The rules of the baton, in every order of events of a small world: one job, two workers, a notifier, a destination.
/// The machines of production decide; see ``RuleBook``.
@Suite(.serialized, .timeLimit(.minutes(60))) struct BatonRulesTests {
    private static func order(isStaged: Bool, isSerial: Bool) -> UploadJob {
        var order = UploadJob(
            source: isStaged ? .staged(area: "a", name: "n") : .inline(Data("ten bytes.".utf8)),
            destination: .named(DestinationName(unchecked: "model"), key: "x"), size: 10, enqueuedAt: RuleBook.now)
        order.retry = RetryPolicy(maxAttempts: 2)
        order.serial = isSerial ? .end : nil
        return order
    }

    private func explore(_ bound: ModelBound, without mutation: Mutation? = nil, limit: Int) -> Exploration {
        let book = RuleBook(order: Self.order(isStaged: bound.isStaged, isSerial: bound.isSerial))
        let world = BatonWorld(
            book, budget: bound.budget, verbs: bound.isSerial ? [.cancel, .runAgain] : Verb.allCases,
            hasTurn: bound.hasTurn, isProducerInDoubt: bound.isProducerInDoubt, copied: bound.copied,
            locks: bound.locks,
            mutation: mutation)
        return Exploration(world, limit: limit)
    }

    @Test(arguments: ModelBound.all) func `in whatever order things happen, the rules hold and rest is reached`(
        bound: ModelBound
    ) {
        let exploration = explore(bound, limit: ModelBound.worldCountMaximum)
        print("\(bound.testDescription): \(exploration.worlds) worlds, \(exploration.restingWorlds) at rest")
        let finding = exploration.finding?.description
        #expect(finding == nil, "\(finding ?? "")")
        #expect(exploration.isComplete, "\(ModelBound.worldCountMaximum) worlds are not all")
        #expect(exploration.restingWorlds > 0)
    }

    @Test(arguments: Mutation.allCases) func `a rule left out is missed, and the search says how`(mutation: Mutation)
        throws
    {
        let found = mutation.bounds.lazy.compactMap { bound in
            explore(bound, without: mutation, limit: 100_000).finding.map {
                "\(bound.testDescription): \($0.description)"
            }
        }.first
        let finding = try #require(found, "without the rule '\(mutation)' nothing goes wrong: what is it for?")
        print("without the rule '\(mutation)', \(finding)")
    }
}

extension Mutation {
    /// The bounds of the searches without this rule, the smallest first.
    fileprivate var bounds: [ModelBound] {
        ModelBound.singles(isStaged: false) + ModelBound.singles(isStaged: true) + ModelBound.copying
            + ModelBound.pairs(isStaged: false).filter { $0.verbs < 2 }
    }
}
