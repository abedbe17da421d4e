import Foundation
import Testing

@testable import Uploads

/// Numbers of messages and of rows from before, at and beyond the largest that a message may carry: nothing traps, and
/// no baton is issued that readers would refuse.
@Suite("Issuing: the largest numbers")
struct IssuingLimitTests {
    private static let beyond = [WireLimits.countMaximum, WireLimits.countMaximum + 1, .max - 1, .max]

    private func job(_ change: (inout LedgerJob) -> Void) -> IssuingScene {
        var scene = IssuingScene()
        if var job = scene.job {
            change(&job)
            scene.job = job
        }
        return scene
    }

    @Test func `the last generation that a message may carry is issued`() {
        var scene = job { $0.baton.generation = WireLimits.countMaximum - 1 }
        scene.fence = WireLimits.countMaximum - 1
        scene.crash()
        #expect(scene.issued?.generation == WireLimits.countMaximum)
        scene.crash()
        #expect(scene.issued == nil)
        #expect(scene.outcome?.kind == .failed)
        #expect(scene.outcome?.data.error?.message.contains("enqueue the file again") == true)
    }

    @Test(arguments: beyond) func `a suspect beyond them ends its job with the reason`(generation: Int) {
        var scene = IssuingScene()
        scene.tell(.suspect, scene.baton(generation: generation))
        scene.markerComesBy()
        #expect(scene.issued == nil)
        #expect(scene.outcome?.data.error?.code == .rejected)
        #expect(scene.job?.status == .failed)
    }

    @Test(arguments: beyond) func `a fence beyond them ends the job with the reason, and raises nothing beyond them`(
        fence: Int
    ) {
        var scene = IssuingScene()
        scene.fence = fence
        scene.tell(.suspect, scene.baton(generation: WireLimits.countMaximum))
        scene.markerComesBy()
        #expect(scene.issued == nil)
        #expect(scene.outcome?.data.error?.code == .rejected)
        #expect(scene.job?.generation == WireLimits.countMaximum)
        #expect(scene.entries == [.fence([scene.order.id: WireLimits.countMaximum])])
    }

    @Test(arguments: beyond) func `a dead letter beyond them traps nowhere`(number: Int) {
        var scene = IssuingScene()
        var baton = scene.baton(generation: number, round: number, slice: number)
        baton.attempts = number
        baton.idleWaits = number
        scene.receive(.deadBaton(baton, .deliveryLimit))
        scene.issueHeld()
        scene.markerComesBy()
        #expect(scene.issued == nil)
        #expect(scene.job?.status == .failed)
    }

    @Test(arguments: beyond) func `orders that would need another generation are refused, a cancel ends the job`(
        generation: Int
    ) throws {
        var scene = job {
            $0.baton.generation = generation
            $0.pausedThrough = generation
            $0.status = .paused
        }
        for verb in [Verb.resume, .runNow] {
            let error = #expect(throws: UploadError.self) { try scene.order(verb) }
            #expect(error?.code == .rejected)
        }
        try scene.order(.cancel)
        scene.markerComesBy()
        #expect(scene.job?.status == .failed)
    }

    @Test(arguments: beyond) func `no round begins beyond them`(number: Int) {
        var last = job { $0.baton.round = number }
        last.tell(.failed, last.baton(round: number))
        var high = job { $0.baton.generation = number }
        high.tell(.failed, high.baton(generation: number))
        for var scene in [last, high] {
            #expect(scene.job?.end != nil)
            let error = #expect(throws: UploadError.self) { try scene.order(.runAgain) }
            #expect(error?.code == .rejected)
        }
    }

    @Test(arguments: beyond) func `nor does one of a serial line, and none gives its turn back`(generation: Int) {
        var order = IssuingScene.inlineOrder
        order.serial = .end
        let ended = LedgerJob(Baton(job: order, generation: generation), isWhole: true, at: order.enqueuedAt)
        let machine = IssuingMachine(fence: 1, now: order.enqueuedAt)
        var held = ended
        held.line = .released
        held.pausedThrough = generation
        held.status = .paused
        #expect(throws: UploadError.self) { try machine.move(held, to: .next) }
        var over = ended
        over.end = RoundEnd(kind: .failed, event: "e", at: order.enqueuedAt)
        over.line = nil
        #expect(throws: UploadError.self) { try machine.order(.runAgain, of: over) }
    }

    @Test func `counts of a row stay at their end`() {
        var scene = job {
            $0.poisonCount = .max
            $0.isSliceStarted = true
        }
        scene.crash()
        #expect(scene.outcome?.data.error?.code == .poisoned)
        var tally = DropTally()
        for _ in 0..<3 { tally.add(.deliveryLimit) }
        #expect(tally.pause == 8)
    }
}
