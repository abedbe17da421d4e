import Testing

@testable import Uploads

/// Slices that lead back to where the first one began would go round without an attempt, a pause or an end.
@Suite(.timeLimit(.minutes(20))) struct SliceChainTests {
    /// What a job asks for, and whether its destination takes parts.
    enum Kind: CaseIterable { case replaces, verifies, isUncut, renames, skips }

    @Test(arguments: Kind.allCases)
    func `whatever a destination answers, slices that bring nothing are a failed attempt`(kind: Kind) {
        var job = UploadJob(
            source: .staged(area: "a", name: "n"),
            destination: .named(DestinationName(unchecked: "model"), key: "x"), size: LyingDestination.partBytes * 2,
            enqueuedAt: RuleBook.now)
        job.ifExists = kind == .renames ? .rename : kind == .skips ? .skip : .replace
        job.verify = kind == .verifies
        let chains = SliceChains(
            job,
            at: LyingDestination(
                canYield: kind != .isUncut, sessionCount: kind == .verifies || kind == .renames ? 1 : 2,
                objectCount: kind == .verifies ? 2 : 1,
                hasOther: kind == .renames || kind == .skips))
        print("\(kind): \(chains.linkCount) links, \(chains.momentCount) moments")
        #expect(chains.circle == nil, "\(chains.circle?.joined(separator: "\n") ?? "")")
        #expect(chains.linkCount > 3, "no chain was found at all")
    }
}
