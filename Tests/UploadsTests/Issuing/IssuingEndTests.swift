import Testing
import Uploads

@Suite("Issuing: ends")
struct IssuingEndTests {
    @Test func `completed counts from any generation`() {
        var scene = IssuingScene()
        scene.crash()
        scene.tell(.completed, scene.baton(generation: 1))
        #expect(scene.outcome?.kind == .completed)
        #expect(scene.job?.status == .completed)
    }

    @Test(arguments: [EventKind.failed, .cancelled])
    func `failed and cancelled count only from the current generation`(kind: EventKind) {
        var scene = IssuingScene()
        scene.crash()
        scene.tell(kind, scene.baton(generation: 1))
        #expect(scene.outcome == nil)
        #expect(scene.note == .olderGeneration)
        scene.tell(kind, scene.baton(generation: 2))
        #expect(scene.outcome?.kind == kind)
    }

    @Test func `paused counts only from the current generation`() {
        var scene = IssuingScene()
        scene.crash()
        scene.tell(.paused, scene.baton(generation: 1, slice: 1))
        #expect(scene.job?.status == .queued)
        scene.tell(.paused, scene.baton(generation: 2, slice: 1))
        #expect(scene.job?.status == .paused)
    }

    @Test func `the first end that counts is told under one id, another is recorded and not told`() {
        var scene = IssuingScene()
        scene.tell(.failed)
        #expect(scene.outcome?.id == "\(scene.order.id).1.ended")
        scene.tell(.completed)
        #expect(scene.outcome == nil)
        #expect(scene.note == .roundHasEnded)
        #expect(scene.actions.contains { if case .record(let event) = $0 { event.kind == .completed } else { false } })
        #expect(scene.job?.status == .failed)
    }

    @Test func `the same end twice is told once`() {
        var scene = IssuingScene()
        scene.tell(.completed)
        scene.tell(.completed)
        #expect(scene.outcome == nil)
    }

    @Test func `an end of an older round is noted`() throws {
        var scene = IssuingScene()
        scene.tell(.failed)
        try scene.order(.runAgain)
        scene.markerComesBy()
        scene.tell(.completed, scene.baton(generation: 1, round: 1))
        #expect(scene.note == .olderRound)
        #expect(scene.outcome == nil)
        scene.tell(.completed)
        #expect(scene.outcome?.id == "\(scene.order.id).2.ended")
    }

    @Test func `the end of a paused job lifts the pause, so that no baton is left waiting for it`() throws {
        var scene = IssuingScene()
        scene.crash()
        try scene.order(.pause)
        scene.tell(.completed, scene.baton(generation: 1))
        #expect(scene.entries == [.lift([scene.order.id])])
        #expect(scene.job?.isPaused == false)
    }

    @Test func `an end of an unknown job is told`() {
        var scene = IssuingScene(isKnown: false)
        scene.tell(.completed, scene.baton(generation: 3, round: 2))
        #expect(scene.outcome?.id == "\(scene.order.id).2.ended")
        #expect(scene.job?.generation == 3)
    }

    @Test func `the outcome shows neither inline bytes nor a URL's query`() {
        var scene = IssuingScene()
        scene.tell(.completed)
        #expect(scene.outcome?.job == scene.order.redacted)
    }

    @Test func `an event that its sender forgot to redact is recorded and published redacted`() throws {
        var scene = IssuingScene()
        var event = UploadEvent(kind: .completed, of: scene.baton(), at: scene.start)
        event.data.baton.job = scene.order
        scene.receive(.event(event))
        #expect(scene.outcome?.job == scene.order.redacted)
        for case .record(let recorded) in scene.actions { #expect(recorded.job == scene.order.redacted) }
        #expect(scene.job?.baton.job == scene.order)
    }
}
