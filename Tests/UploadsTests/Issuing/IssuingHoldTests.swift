import Foundation
import Testing
import Uploads

@Suite("Issuing: what the broker has lost before a worker began it")
struct IssuingHoldTests {
    private static let policies = [DeathCause.expired(queue: "upload.jobs.default.normal"), .overflowed(queue: "q")]

    @Test(arguments: policies + [.other("it was rejected")])
    func `however often a job is dropped, it is issued again and never ends as poisoned`(cause: DeathCause) {
        var scene = IssuingScene()
        for generation in 1...100 {
            scene.lose(cause)
            #expect(scene.publications.isEmpty)
            #expect(scene.job?.status == .queued)
            scene.issueHeld()
            scene.markerComesBy()
            #expect(scene.issued?.generation == generation + 1)
            #expect(scene.issued?.runsAlone == false)
            #expect(scene.job?.hold == nil)
        }
        #expect(scene.job?.poisonCount == 0)
    }

    @Test func `the pause grows to ten minutes, and is short again after a worker's word`() throws {
        var scene = IssuingScene()
        var pauses: [TimeInterval] = []
        func pause() throws -> TimeInterval {
            try #require(scene.job?.hold?.until).timeIntervalSince(scene.start)
        }
        for _ in 1...12 {
            scene.lose(.expired(queue: "q"))
            pauses.append(try pause())
            scene.issueHeld()
            scene.markerComesBy()
        }
        #expect(pauses == [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600])
        scene.tell(.waiting, scene.baton(slice: 1))
        scene.lose(.expired(queue: "q"), slice: 1)
        #expect(try pause() == 2)
    }

    @Test(arguments: policies) func `the record names the policy's key, the queue and the remedy`(cause: DeathCause) {
        var scene = IssuingScene()
        scene.lose(cause)
        let reason = scene.job?.reason ?? ""
        #expect(reason.contains(cause == Self.policies[0] ? "message-ttl" : "max-length"))
        #expect(reason.contains("rabbitmqctl list_policies") && reason.contains("clear_policy"))
        #expect(scene.job?.hold?.cause == .policy)
    }

    @Test func `a job without a lane is held for it, and issued when there is one`() {
        var scene = IssuingScene(isKnown: false)
        scene.lose(.noLane)
        #expect(scene.job?.hold == IssueHold(.noLane, until: scene.start))
        #expect(scene.publications.isEmpty)
        scene.receive(.job(scene.order, maybeRepeated: false))
        #expect(scene.job?.hold?.cause == .noLane)
        scene.issueHeld()
        #expect(scene.marker?.generation == 1)
        scene.markerComesBy()
        #expect(scene.issued?.generation == 2)
        #expect(scene.issued?.job == scene.order)
        #expect(scene.lane == .normal)
    }

    @Test func `a lane that is not there when the baton is issued holds that generation alone`() throws {
        var scene = IssuingScene()
        scene.crash()
        let issued = try #require(scene.issued)
        func unclaimed() -> IssuingDecision {
            IssuingMachine(fence: scene.fence, now: scene.start).unclaimed(issued, .noLane, for: scene.job)
        }
        #expect(unclaimed().job?.hold?.cause == .noLane)
        scene.crash()
        #expect(unclaimed().job?.hold == nil)
        scene.tell(.completed)
        #expect(unclaimed().job?.hold == nil)
    }

    @Test func `it stays held until the next generation begins, so that a lost marker is sent again`() {
        var scene = IssuingScene()
        scene.lose(.expired(queue: "q"))
        scene.issueHeld()
        let first = scene.marker
        #expect(first != nil)
        #expect(scene.job?.hold?.until == scene.start + 60)
        scene.issueHeld()
        #expect(scene.marker == first)
        scene.markerComesBy()
        #expect(scene.job?.hold == nil)
        scene.issueHeld()
        #expect(scene.note == .nothingNew)
    }

    @Test func `orders hold for it: a cancel goes at once, a pause goes with it, an end ends it`() throws {
        var scene = IssuingScene()
        scene.lose(.overflowed(queue: "q"))
        try scene.order(.pause)
        scene.issueHeld()
        scene.markerComesBy()
        #expect(scene.job?.isPaused == true)
        scene.lose(.overflowed(queue: "q"))
        try scene.order(.cancel)
        scene.markerComesBy()
        #expect(scene.issued?.isCancel == true)
        #expect(scene.lane == .urgent)
        #expect(scene.job?.hold == nil)
        scene.lose(.overflowed(queue: "q"))
        #expect(scene.job?.hold != nil)
        scene.tell(.cancelled)
        #expect(scene.job?.hold == nil)
    }

    @Test func `a dead letter of an older generation or an ended round holds nothing`() {
        var scene = IssuingScene()
        scene.crash()
        scene.receive(.deadBaton(scene.baton(generation: 1), .expired(queue: "q")))
        #expect(scene.job?.hold == nil)
        #expect(scene.note == .olderGeneration)
        scene.tell(.completed)
        scene.lose(.expired(queue: "q"))
        #expect(scene.job?.hold == nil)
        #expect(scene.note == .roundHasEnded)
    }

    @Test func `a suspect that a wish was noted for is issued, though its message died later`() {
        var scene = IssuingScene()
        scene.tell(.suspect)
        let marker = scene.marker
        scene.lose(.expired(queue: "q"))
        #expect(scene.marker == marker)
        scene.markerComesBy()
        #expect(scene.issued?.generation == 2)
    }

    @Test func `what is delivered too often without a word of any worker ends after twenty times`() {
        var scene = IssuingScene()
        for _ in 1..<IssuingMachine.undeliveredMaximum {
            scene.lose(.deliveryLimit)
            scene.issueHeld()
            scene.markerComesBy()
            #expect(scene.issued != nil)
        }
        scene.lose(.deliveryLimit)
        scene.issueHeld()
        scene.markerComesBy()
        #expect(scene.outcome?.data.error?.code == .poisoned)
        #expect(scene.outcome?.data.error?.message.contains("20 times") == true)
        #expect(scene.outcome?.data.error?.message.contains("workers stopped while they worked") == false)
    }

    @Test func `a word in between begins the count anew`() {
        var scene = IssuingScene()
        for time in 1...100 {
            scene.lose(.deliveryLimit)
            scene.issueHeld()
            scene.markerComesBy()
            #expect(scene.issued != nil)
            if time.isMultiple(of: 10) {
                scene.tell(.waiting, scene.baton(slice: 1))
                scene.lose(.expired(queue: "q"), slice: 1)
                scene.issueHeld()
                scene.markerComesBy()
            }
        }
        #expect(scene.job?.end == nil)
    }
}
