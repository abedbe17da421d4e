import Testing
import Uploads

@Suite("Issuing: verbs")
struct IssuingVerbTests {
    @Test func `cancel issues a cancel baton on urgent, after its marker`() throws {
        var scene = IssuingScene()
        try scene.order(.cancel)
        #expect(scene.publications.count == 1)
        scene.markerComesBy()
        let issued = try #require(scene.issued)
        #expect(issued.isCancel && issued.generation == 2)
        // Its wait begins when it is issued: by then every worker can read the fence.
        #expect(
            scene.publications == [
                .append(.fence([scene.order.id: 2])), .issue(issued, lane: .urgent, maybeRepeated: false),
            ])
    }

    @Test func `cancel sticks: every later issue of the round is marked so`() throws {
        var scene = IssuingScene()
        try scene.order(.cancel)
        scene.markerComesBy()
        scene.crash()
        #expect(scene.issued?.isCancel == true)
        #expect(scene.lane == .urgent)
    }

    @Test(arguments: [Verb.pause, .resume, .runNow, .runAgain, .discard])
    func `other verbs are refused until a cancelled round ends`(verb: Verb) throws {
        var scene = IssuingScene()
        try scene.order(.cancel)
        let error = #expect(throws: UploadError.self) { try scene.order(verb) }
        #expect(error?.code == .rejected)
    }

    @Test func `a second cancel is granted by the first`() throws {
        var scene = IssuingScene()
        try scene.order(.cancel)
        let wish = scene.job?.wish
        try scene.order(.cancel)
        #expect(scene.publications.isEmpty)
        #expect(scene.job?.wish == wish)
    }

    @Test func `a cancel of a job that a suspect is about waits for a marker of its own`() throws {
        var scene = IssuingScene()
        scene.tell(.suspect)
        let old = scene.marker
        try scene.order(.cancel)
        #expect(scene.marker != old)
        let fresh = scene.marker
        if let old { scene.receive(.marker(old)) }
        #expect(scene.note == .staleMarker)
        if let fresh { scene.receive(.marker(fresh)) }
        #expect(scene.issued?.isCancel == true)
    }

    @Test func `pause is a control entry only, up to the current generation`() throws {
        var scene = IssuingScene()
        try scene.order(.pause)
        #expect(scene.publications == [.append(.pause([scene.order.id: 1]))])
        #expect(scene.job?.generation == 1)
        #expect(scene.job?.isPaused == true)
    }

    @Test func `a suspect's new baton carries the pause on, named before the baton is out`() throws {
        var scene = IssuingScene()
        try scene.order(.pause)
        scene.crash()
        #expect(scene.publications.first == .append(.pause([scene.order.id: 2])))
        #expect(scene.issued?.generation == 2)
        #expect(scene.job?.isPaused == true)
    }

    @Test func `resume issues on the job's lane, beyond the pause, and lifts it`() throws {
        var scene = IssuingScene()
        try scene.order(.pause)
        scene.tell(.paused, scene.baton(slice: 1, state: IssuingScene.state("open")))
        try scene.order(.resume)
        scene.markerComesBy()
        #expect(scene.lane == .continued)
        #expect(scene.entries == [.fence([scene.order.id: 2]), .lift([scene.order.id])])
        #expect(scene.job?.isPaused == false)
    }

    @Test func `resume of a job that is not paused is refused`() {
        var scene = IssuingScene()
        #expect(throws: UploadError.self) { try scene.order(.resume) }
    }

    @Test func `a pause after a resume that was not granted yet holds`() throws {
        var scene = IssuingScene()
        try scene.order(.pause)
        try scene.order(.resume)
        let marker = scene.marker
        try scene.order(.pause)
        if let marker { scene.receive(.marker(marker)) }
        #expect(scene.issued == nil)
        #expect(scene.job?.isPaused == true)
    }

    @Test func `run now issues on urgent and is no cancel`() throws {
        var scene = IssuingScene()
        scene.tell(.waiting, scene.baton(slice: 1))
        try scene.order(.runNow)
        scene.markerComesBy()
        #expect(scene.lane == .urgent)
        #expect(scene.issued?.isCancel == false)
    }

    @Test func `run now of a running job is refused`() {
        var scene = IssuingScene()
        scene.tell(.started)
        #expect(throws: UploadError.self) { try scene.order(.runNow) }
    }

    @Test func `run again raises round and generation and forgets what the old round counted`() throws {
        var scene = IssuingScene()
        var last = scene.baton(state: IssuingScene.state("kept"))
        last.attempts = 10
        scene.tell(.failed, last)
        try scene.order(.runAgain)
        scene.markerComesBy()
        let issued = try #require(scene.issued)
        #expect(issued.round == 2)
        #expect(issued.generation == 2)
        #expect(issued.attempts == 0)
        #expect(issued.state == IssuingScene.state("kept"))
        #expect(scene.job?.end == nil)
        #expect(scene.job?.status == .queued)
    }

    @Test func `run again after a cancelled round is no cancel`() throws {
        var scene = IssuingScene()
        try scene.order(.cancel)
        scene.markerComesBy()
        scene.tell(.cancelled)
        try scene.order(.runAgain)
        scene.markerComesBy()
        #expect(scene.issued?.isCancel == false)
    }

    @Test(arguments: [Verb.cancel, .pause, .resume, .runNow])
    func `an ended job obeys nothing but run again`(verb: Verb) {
        var scene = IssuingScene()
        scene.tell(.completed)
        #expect(throws: UploadError.self) { try scene.order(verb) }
    }

    @Test func `discard of a failed job is a new round that is cancelled from its beginning`() throws {
        var scene = IssuingScene()
        var last = scene.baton(state: IssuingScene.state("left"))
        last.attempts = 10
        scene.tell(.failed, last)
        try scene.order(.discard)
        #expect(scene.issued == nil, "not before the marker")
        scene.markerComesBy()
        let issued = try #require(scene.issued)
        #expect(issued.round == 2 && issued.generation == 2 && issued.isCancel && issued.attempts == 0)
        #expect(issued.state == IssuingScene.state("left"))
        #expect(scene.lane == .urgent)
        scene.crash()
        #expect(scene.issued?.isCancel == true && scene.issued?.round == 2)
        scene.tell(.cancelled)
        #expect(scene.outcome?.kind == .cancelled)
        try scene.order(.runAgain)
        scene.markerComesBy()
        #expect(scene.issued?.round == 3 && scene.issued?.isCancel == false && scene.issued?.state == nil)
    }

    @Test(arguments: [nil, EventKind.completed, .cancelled, .started])
    func `only what a failed job left is discarded`(told: EventKind?) {
        var scene = IssuingScene()
        if let told { scene.tell(told) }
        let error = #expect(throws: UploadError.self) { try scene.order(.discard) }
        #expect(error?.code == .rejected)
        #expect(error?.message.contains(told?.isEnd == true ? "only a failed one" : "cancel it instead") == true)
    }

    @Test(arguments: [(Verb.discard, Verb.runAgain), (.runAgain, .discard)])
    func `of run again and discard the last word holds`(first: Verb, last: Verb) throws {
        var scene = IssuingScene()
        scene.tell(.failed, scene.baton(state: IssuingScene.state("left")))
        try scene.order(first)
        let stale = scene.marker
        try scene.order(last)
        let fresh = scene.marker
        if let stale { scene.receive(.marker(stale)) }
        #expect(scene.issued == nil)
        if let fresh { scene.receive(.marker(fresh)) }
        #expect(scene.issued?.isCancel == (last == .discard))
    }

    @Test func `run again of a job that has not ended is refused`() {
        var scene = IssuingScene()
        #expect(throws: UploadError.self) { try scene.order(.runAgain) }
    }

    @Test func `a job of which only redacted events are known cannot be issued by a verb`() {
        var scene = IssuingScene(isKnown: false)
        scene.tell(.started)
        #expect(throws: UploadError.self) { try scene.order(.cancel) }
    }

    @Test func `an end that comes between a cancel and its marker is the outcome`() throws {
        var scene = IssuingScene()
        try scene.order(.cancel)
        let marker = scene.marker
        scene.tell(.failed)
        #expect(scene.outcome?.kind == .failed)
        if let marker { scene.receive(.marker(marker)) }
        #expect(scene.publications.isEmpty)
    }

    /// The facts about a source object are kept while a part of it lies at the destination; otherwise the next round
    /// looks again.
    @Test(arguments: [IssuingScene.state("half"), nil])
    func `a new round carries what lies there then, unless something is half done`(state: UploadState?) throws {
        let order = UploadJob(
            source: .object(.url("https://store.example/a"), seen: nil), destination: .url("x"), size: 0)
        let seen = order.examined(as: StoredObject(location: "https://store.example/a", etag: "e", size: 70))
        var scene = IssuingScene(order)
        var baton = scene.baton(slice: 1, state: state)
        baton.job = seen
        scene.tell(.handedOver, baton)
        #expect(scene.job?.baton.job == seen)
        scene.crash()
        #expect(scene.issued?.job == seen, "the same round carries the same object")
        var failed = scene.baton(state: state)
        failed.job = seen
        scene.tell(.failed, failed)
        try scene.order(.runAgain)
        scene.markerComesBy()
        #expect(scene.issued?.round == 2)
        #expect(scene.issued?.job == (state == nil ? order : seen))
    }
}
