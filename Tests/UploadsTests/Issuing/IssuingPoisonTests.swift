import Testing
import Uploads

@Suite("Issuing: progress or poison")
struct IssuingPoisonTests {
    @Test func `after two generations that stopped their worker the job runs alone`() {
        var scene = IssuingScene()
        for expected in [false, true] {
            scene.tell(.started)
            scene.crash()
            #expect(scene.issued?.runsAlone == expected)
        }
    }

    @Test func `after five it ends as poisoned, told once, and whatever is left is fenced off`() {
        var scene = IssuingScene()
        for _ in 1...4 {
            scene.tell(.started)
            scene.crash()
            #expect(scene.issued != nil)
        }
        scene.tell(.started)
        scene.crash()
        #expect(scene.issued == nil)
        #expect(scene.outcome?.kind == .failed)
        #expect(scene.outcome?.data.error?.code == .poisoned)
        #expect(scene.entries == [.fence([scene.order.id: 6])])
        #expect(scene.job?.status == .failed)
        #expect(scene.outcome?.job == scene.order.redacted)
        scene.tell(.suspect, scene.baton(generation: 5))
        #expect(scene.publications.isEmpty)
    }

    @Test func `a generation that was never started does not count`() {
        var scene = IssuingScene()
        for _ in 1...8 { scene.crash() }
        #expect(scene.job?.poisonCount == 0)
        #expect(scene.issued?.generation == 9)
    }

    @Test func `a slice that was only prefetched does not count, though an earlier one of its generation was begun`() {
        var scene = IssuingScene()
        for generation in 1...8 {
            scene.tell(.started)
            scene.tell(.waiting, scene.baton(slice: 1))
            scene.crash(slice: 1)
            #expect(scene.issued?.generation == generation + 1)
        }
        #expect(scene.job?.poisonCount == 0)
    }

    @Test func `a later slice that was begun counts`() {
        var scene = IssuingScene()
        for _ in 1...5 {
            scene.tell(.started)
            scene.tell(.waiting, scene.baton(slice: 1))
            scene.tell(.started, scene.baton(slice: 1))
            scene.crash(slice: 1)
        }
        #expect(scene.outcome?.data.error?.code == .poisoned)
    }

    @Test(arguments: [DeathCause.expired(queue: "q"), .overflowed(queue: "q"), .deliveryLimit, .noLane, .other("why")])
    func `what a worker had begun counts, however the broker came to give it up`(cause: DeathCause) {
        var scene = IssuingScene()
        for _ in 1...5 {
            scene.tell(.started)
            scene.lose(cause)
            scene.markerComesBy()
        }
        #expect(scene.outcome?.data.error?.code == .poisoned)
    }

    @Test func `a repeated suspect counts once`() {
        var scene = IssuingScene()
        scene.tell(.started)
        scene.tell(.suspect)
        scene.tell(.suspect)
        scene.markerComesBy()
        #expect(scene.job?.poisonCount == 1)
    }

    @Test func `a new state sets the count back`() {
        var scene = IssuingScene()
        for _ in 1...3 {
            scene.tell(.started)
            scene.crash()
        }
        scene.tell(.started)
        scene.tell(.handedOver, scene.baton(slice: 1, state: IssuingScene.state("new")))
        #expect(scene.job?.poisonCount == 0)
        scene.crash()
        #expect(scene.job?.poisonCount == 0)
        #expect(scene.issued?.runsAlone == false)
    }

    @Test func `the same state with more bytes in its session is progress, without them it is none`() {
        var scene = IssuingScene()
        let state = IssuingScene.state("session")
        scene.tell(.handedOver, scene.baton(slice: 1, state: state))
        scene.tell(.started, scene.baton(slice: 1, state: state))
        scene.crash(slice: 1)
        scene.tell(.started, scene.baton(state: state))
        scene.tell(.waiting, scene.baton(slice: 1, state: state))
        scene.tell(.started, scene.baton(slice: 1, state: state))
        scene.crash(slice: 1)
        #expect(scene.job?.poisonCount == 1)
        scene.tell(.started, scene.baton(state: state))
        var further = scene.baton(slice: 1, state: state)
        further.bytesSent = 8 << 20
        scene.tell(.handedOver, further)
        #expect(scene.job?.poisonCount == 0)
    }

    @Test func `a verb is no crash`() throws {
        var scene = IssuingScene()
        scene.tell(.started)
        try scene.order(.cancel)
        scene.markerComesBy()
        #expect(scene.job?.poisonCount == 0)
    }
}
