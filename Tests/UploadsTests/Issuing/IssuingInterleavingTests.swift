import Testing
import Uploads

@Suite("Issuing: whatever crashes between whichever two steps")
struct IssuingInterleavingTests {
    /// Steps after the crashes have stopped within which everything must have come to rest.
    private static let restSteps = 20_000

    @Test(.timeLimit(.minutes(10)), arguments: 0..<8)
    func `every round gets exactly one outcome, and issuing comes to rest`(block: Int) {
        for seed in block * 1000..<(block + 1) * 1000 { explore(seed: UInt64(seed)) }
    }

    private func explore(seed: UInt64) {
        var world = IssuingWorld(seed: seed)
        for _ in 0..<150 {
            world.step()
            if world.chance(1, in: 40), let verb = Verb.allCases.randomElement(using: &world.generator) {
                world.order(verb)
            }
        }
        world.mayCrash = false
        let issuesBefore = world.issues
        var steps = 0
        while steps < Self.restSteps, !world.isQuiet {
            steps += 1
            world.step()
            // A paused baton goes round until an operator lifts the pause.
            if steps % 500 == 0, world.ledger?.isPaused == true { world.order(.resume) }
        }
        // Bound to names, so that a failure shows a line and not the world.
        let (isQuiet, hasEnded) = (world.isQuiet, world.ledger?.end != nil)
        #expect(isQuiet, "seed \(seed) does not come to rest: \(world.lane.count) batons on the lane")
        #expect(hasEnded, "seed \(seed): no end, status \(String(describing: world.ledger?.status))")
        let issues = world.issues - issuesBefore
        #expect(issues <= 20, "seed \(seed)")
        let violations = world.violations
        #expect(violations.isEmpty, "seed \(seed)")
        for round in 1...(world.ledger?.round ?? 1) {
            let kinds = world.told["\(IssuingWorld.order.id).\(round).ended"] ?? []
            #expect(kinds.count == 1, "seed \(seed): round \(round) was told as \(kinds)")
        }
    }
}
