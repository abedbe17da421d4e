import Testing

@testable import Uploads

/// Slices that lead back to where the first one began would go round for ever, without an attempt, a pause or an end.
@Suite(.timeLimit(.minutes(20))) struct SliceChainTests {
    /// A kind of job and of destination.
    enum Kind: CaseIterable {
        case replaces, verifies, isUncut, renames, skips, fails, replacesOthers, meetsTroubles, verifiesInTroubles,
            isTrial, isCopied

        var ifExists: IfExists {
            switch self {
            case .renames: .rename
            case .skips: .skip
            case .fails: .fail
            default: .replace
            }
        }

        var verifies: Bool { self == .verifies || self == .verifiesInTroubles }

        var job: UploadJob {
            var job = UploadJob(
                source: .staged(area: "a", name: "n"),
                destination: .named(DestinationName(unchecked: "model"), key: "x"),
                size: LyingDestination.partBytes * 2, enqueuedAt: RuleBook.now)
            job.ifExists = ifExists
            job.verify = verifies
            return job
        }

        var destination: LyingDestination {
            var destination = LyingDestination()
            destination.canYield = self != .isUncut
            destination.sessionCount = [.replaces, .isUncut, .skips].contains(self) ? 2 : 1
            destination.objectCount = self == .verifies ? 2 : 1
            destination.hasOther = ifExists != .replace || self == .replacesOthers
            destination.isCopying = self == .isCopied
            destination.hasTroubles = [.meetsTroubles, .verifiesInTroubles, .isTrial].contains(self)
            if self == .isTrial { destination.way = .trial(.write) }
            return destination
        }
    }

    @Test(arguments: Kind.allCases)
    func `whatever a destination answers, slices that bring nothing are a failed attempt`(kind: Kind) {
        let chains = SliceChains(kind.job, at: kind.destination)
        print("\(kind): \(chains.linkCount) links, \(chains.momentCount) moments")
        #expect(chains.circle == nil, "\(chains.circle?.joined(separator: "\n") ?? "")")
        #expect(chains.linkCount > 3, "no chain was found at all")
    }

    @Test(arguments: SliceRule.allCases) func `a rule left out is missed, and the search says how`(rule: SliceRule)
        throws
    {
        let chains = SliceChains(Kind.replaces.job, at: Kind.replaces.destination, without: rule)
        let circle = try #require(chains.circle, "without the rule '\(rule)' nothing goes round: what is it for?")
        print("without the rule '\(rule)':\n\(circle.joined(separator: "\n"))")
    }
}
