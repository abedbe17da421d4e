import Foundation
import Testing
import Uploads

@Suite("Jobs of a serial line") struct IssuingSerialTests {
    private static func order(_ place: SerialPosition = .end) -> UploadJob {
        var order = IssuingScene.inlineOrder
        order.id = JobID()
        order.serial = place
        return order
    }

    private func scene(released: Bool = false) -> IssuingScene {
        var scene = IssuingScene(Self.order())
        if released { release(&scene) }
        return scene
    }

    private func release(_ scene: inout IssuingScene) {
        guard let known = scene.job else { return }
        let decision = IssuingMachine(fence: scene.fence, now: scene.start).release(known)
        scene.job = decision.job
        scene.actions = decision.actions
    }

    private func move(_ scene: IssuingScene, to index: Int) throws -> IssuingDecision {
        try IssuingMachine(fence: scene.fence, now: scene.start).move(
            try #require(scene.job), to: SerialPosition(index: index))
    }

    @Test func `waits where it asked to be, and nothing is issued`() {
        let order = Self.order(SerialPosition(index: 3))
        let decision = IssuingMachine(fence: 1, now: Date()).receive(.job(order, maybeRepeated: false), for: nil)
        #expect(decision.job?.line == .waiting)
        #expect(decision.job?.status == .queued)
        #expect(decision.place == SerialPosition(index: 3))
        #expect(decision.actions.isEmpty)
    }

    @Test func `once released it is issued when its marker has come by, on its own lane`() {
        var scene = scene(released: true)
        #expect(scene.job?.line == .releasing)
        scene.markerComesBy()
        #expect(scene.issued?.generation == 2)
        #expect(scene.lane == .normal)
        #expect(scene.job?.line == .released)
    }

    @Test func `submitted again while it waits it is neither issued nor moved`() {
        var scene = scene()
        scene.receive(.job(scene.order, maybeRepeated: true))
        #expect(scene.publications.isEmpty)
        #expect(scene.job?.line == .waiting)
    }

    @Test(arguments: [false, true]) func `published to a lane it waits for its turn all the same`(isKnown: Bool) {
        var scene = IssuingScene(Self.order(), isKnown: isKnown)
        scene.tell(.suspect)
        #expect(scene.publications.isEmpty)
        #expect(scene.note == .waitsInLine)
        #expect(scene.job?.line == .waiting)
    }

    @Test func `an unknown job that a worker has held already counts as released`() {
        var scene = IssuingScene(Self.order(), isKnown: false)
        scene.tell(.suspect, scene.baton(generation: 4))
        #expect(scene.job?.line == .released)
        #expect(scene.marker != nil)
    }

    @Test(arguments: [EventKind.paused, .waiting])
    func `paused while no worker works on it, its turn can be given back`(
        kind: EventKind
    ) throws {
        var scene = scene(released: true)
        scene.markerComesBy()
        scene.tell(.started)
        if kind == .waiting { scene.tell(kind, scene.baton(slice: 1)) }
        try scene.order(.pause)
        if kind == .paused {
            #expect(throws: UploadError.self) { try move(scene, to: 1) }
            scene.tell(kind, scene.baton(slice: 1))
        }
        let decision = try move(scene, to: 1)
        #expect(decision.place == SerialPosition(index: 1))
        let job = try #require(decision.job)
        #expect(job.line == .waiting && job.status == .queued && !job.isPaused)
        #expect(decision.actions == [.append(.fence([job.id: 3])), .append(.lift([job.id]))])
        // The baton that its worker held counts no longer; a completion counts, whenever it is reported.
        scene.job = job
        scene.tell(.started, scene.baton(generation: 2))
        #expect(scene.job?.line == .waiting)
        release(&scene)
        scene.markerComesBy()
        #expect(scene.issued?.generation == 4)
        #expect(scene.job?.line == .released)
    }

    @Test func `one that runs, or is being cancelled, keeps its turn`() throws {
        var scene = scene(released: true)
        scene.markerComesBy()
        scene.tell(.started)
        #expect(throws: UploadError.self) { try move(scene, to: 0) }
        try scene.order(.pause)
        scene.tell(.paused, scene.baton(slice: 1))
        #expect(throws: Never.self) { try move(scene, to: 0) }
        try scene.order(.cancel)
        #expect(throws: UploadError.self) { try move(scene, to: 0) }
    }

    @Test(arguments: [EventKind.completed, .failed, .cancelled]) func `any end takes it out of the line`(
        kind: EventKind
    ) {
        var scene = scene(released: true)
        scene.markerComesBy()
        scene.tell(kind)
        #expect(scene.job?.end?.kind == kind)
        #expect(scene.job?.line == nil)
    }

    @Test func `a crash of its worker keeps its turn`() {
        var scene = scene(released: true)
        scene.markerComesBy()
        scene.tell(.started)
        scene.crash()
        #expect(scene.issued?.generation == 3)
        #expect(scene.job?.line == .released)
    }

    @Test func `ending as poisoned takes it out of the line`() {
        var scene = scene(released: true)
        scene.markerComesBy()
        for _ in 0..<IssuingMachine.poisonedAfter {
            scene.tell(.started)
            scene.crash()
        }
        #expect(scene.job?.end?.error?.code == .poisoned)
        #expect(scene.job?.line == nil)
    }

    @Test func `paused in line it is issued paused when its turn comes`() throws {
        var scene = scene()
        try scene.order(.pause)
        #expect(scene.publications.isEmpty)
        #expect(scene.job?.status == .paused)
        release(&scene)
        scene.markerComesBy()
        let generation = try #require(scene.issued?.generation)
        #expect(scene.entries.contains(.pause([scene.order.id: generation])))
        #expect(scene.job?.line == .released)
    }

    @Test func `resumed in line it goes on waiting`() throws {
        var scene = scene()
        try scene.order(.pause)
        try scene.order(.resume)
        #expect(scene.publications.isEmpty)
        #expect(scene.job?.status == .queued)
        release(&scene)
        scene.markerComesBy()
        #expect(!scene.entries.contains { if case .pause = $0 { true } else { false } })
    }

    @Test func `a pause between release and issue does not lose it`() throws {
        var scene = scene(released: true)
        let marker = try #require(scene.marker)
        try scene.order(.pause)
        scene.receive(.marker(marker))
        let generation = try #require(scene.issued?.generation)
        #expect(scene.entries.contains(.pause([scene.order.id: generation])))
    }

    @Test func `run now puts it next, without a baton, also when it was paused`() throws {
        var scene = scene()
        try scene.order(.pause)
        let known = try #require(scene.job)
        let decision = try IssuingMachine(fence: 1, now: scene.start).order(.runNow, of: known)
        #expect(decision.place == .next)
        #expect(decision.actions.isEmpty)
        #expect(decision.job?.isPaused == false)
        #expect(decision.job?.line == .waiting)
    }

    @Test(arguments: [false, true]) func `cancelled before it was issued it ends at once, and no worker hears of it`(
        isReleasing: Bool
    ) throws {
        var scene = scene(released: isReleasing)
        let marker = scene.marker
        try scene.order(.cancel)
        #expect(scene.job?.end?.kind == .cancelled && scene.job?.line == nil)
        #expect(scene.outcome?.id == "\(scene.order.id).1.ended")
        #expect(scene.issued == nil && scene.marker == nil)
        #expect(scene.entries == [.fence([scene.order.id: 2])])
        if let marker {
            scene.receive(.marker(marker))
            #expect(scene.publications.isEmpty && scene.note == .staleMarker)
        }
        // A baton that was published to a lane by mistake counts no longer.
        scene.tell(.suspect, scene.baton(generation: 1))
        #expect(scene.publications.isEmpty && scene.note == .roundHasEnded)
        #expect(throws: UploadError.self) { try scene.order(.cancel) }
        try scene.order(.runAgain)
        #expect(scene.job?.line == .waiting && scene.job?.generation == 3 && scene.job?.isCancelling == false)
    }

    @Test func `its staged copy goes by a baton that only removes it, after the end`() throws {
        var order = Self.order()
        order.source = .staged(area: "a1", name: "n1")
        var scene = IssuingScene(order)
        try scene.order(.cancel)
        let kinds = scene.publications.map { action in
            switch action {
            case .outcome: "end"
            case .issue: "baton"
            case .append(.fence): "fence"
            default: "other"
            }
        }
        #expect(kinds == ["end", "baton", "fence"])
        let baton = try #require(scene.issued)
        #expect(baton.onlyRemovesCopy && baton.isCancel && baton.generation == 2 && scene.lane == .urgent)
        let issue = IssuingAction.issue(baton, lane: .urgent, maybeRepeated: false)
        #expect(issue.isNeeded(for: scene.job), "a crash repeats it")
        // Neither a late event of its worker nor a dead letter brings the job back.
        scene.tell(.started, baton)
        #expect(scene.note == .roundHasEnded && scene.publications.isEmpty)
        scene.receive(.deadBaton(baton, .expired(queue: "lane")))
        #expect(scene.publications.isEmpty && scene.job?.end?.kind == .cancelled)
        try scene.order(.runAgain)
        #expect(!issue.isNeeded(for: scene.job), "a later round's copy is not its own to remove")
        scene.job = nil
        scene.receive(.deadBaton(baton, .expired(queue: "lane")))
        #expect(scene.job == nil)
    }

    @Test func `a pause between release and issue is lifted with the end`() throws {
        var scene = scene(released: true)
        try scene.order(.pause)
        try scene.order(.cancel)
        #expect(scene.entries == [.fence([scene.order.id: 2]), .lift([scene.order.id])])
    }

    @Test func `one that gave its turn back was issued: it leaves at once, and a worker cancels it`() throws {
        var scene = scene(released: true)
        scene.markerComesBy()
        try scene.order(.pause)
        scene.tell(.paused, scene.baton(slice: 1))
        scene.job = try move(scene, to: 1).job
        try scene.order(.cancel)
        #expect(scene.job?.line == nil && scene.job?.end == nil)
        scene.markerComesBy()
        let issued = try #require(scene.issued)
        #expect(issued.isCancel && !issued.onlyRemovesCopy && scene.lane == .urgent)
        scene.tell(.cancelled)
        #expect(scene.outcome?.kind == .cancelled)
    }

    @Test func `one that the control log knows to be issued is not ended without its worker`() throws {
        var scene = scene()
        scene.fence = 2
        try scene.order(.cancel)
        #expect(scene.job?.end == nil && scene.marker != nil)
    }

    @Test func `cancelled after its release it keeps its place until it has ended`() throws {
        var scene = scene(released: true)
        scene.markerComesBy()
        try scene.order(.cancel)
        #expect(scene.job?.line == .released)
        scene.markerComesBy()
        #expect(scene.job?.line == .released)
        scene.tell(.cancelled)
        #expect(scene.job?.line == nil)
    }

    @Test func `run again it waits in line as a new round that has not ended`() throws {
        var scene = scene(released: true)
        scene.markerComesBy()
        scene.tell(.failed)
        try scene.order(.runAgain)
        #expect(scene.job?.line == .waiting)
        #expect(scene.job?.round == 2)
        #expect(scene.job?.end == nil)
        #expect(scene.issued == nil)
        #expect(scene.entries == [.fence([scene.order.id: 3])])
        release(&scene)
        scene.markerComesBy()
        #expect(scene.issued?.round == 2)
        #expect(scene.issued?.generation == 4)
    }

    @Test func `only what waits can be moved, and the refusal says why`() throws {
        var scene = scene()
        #expect(try move(scene, to: 2).place == SerialPosition(index: 2))
        release(&scene)
        #expect(throws: UploadError.self) { try move(scene, to: 0) }
        scene.markerComesBy()
        scene.tell(.completed)
        let refusal = #expect(throws: UploadError.self) { try move(scene, to: 0) }
        #expect(refusal?.message.contains("has ended as completed") == true)
        let other = #expect(throws: UploadError.self) { try move(IssuingScene(), to: 0) }
        #expect(other?.message.contains("does not belong to a serial line") == true)
    }
}
