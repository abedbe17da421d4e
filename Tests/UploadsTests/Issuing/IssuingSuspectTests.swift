import Foundation
import Testing
import Uploads

@Suite("Issuing: suspects, markers and generations")
struct IssuingSuspectTests {
    @Test func `a suspect of the current generation notes a wish and sends a marker, nothing else`() {
        var scene = IssuingScene()
        scene.tell(.suspect)
        #expect(scene.publications.count == 1)
        #expect(scene.marker == scene.job?.wish?.marker)
        #expect(scene.marker?.generation == 1)
        #expect(scene.job?.generation == 1)
    }

    @Test func `when the marker comes by the baton is issued before the fence`() throws {
        var scene = IssuingScene()
        scene.crash()
        let issued = try #require(scene.issued)
        #expect(issued.generation == 2)
        #expect(issued.slice == 0)
        #expect(
            scene.publications == [
                .issue(issued, lane: .normal, maybeRepeated: false), .append(.fence([scene.order.id: 2])),
            ])
        #expect(scene.job?.wish == nil)
    }

    @Test func `the whole order is issued, though events show it redacted`() {
        var scene = IssuingScene()
        scene.tell(.started)
        scene.crash()
        #expect(scene.issued?.job == scene.order)
    }

    @Test func `an end that was confirmed before the marker stops the issue`() {
        var scene = IssuingScene()
        scene.tell(.suspect)
        let marker = scene.marker
        scene.tell(.completed)
        #expect(scene.outcome?.id == "\(scene.order.id).1.ended")
        if let marker { scene.receive(.marker(marker)) }
        #expect(scene.publications.isEmpty)
    }

    @Test func `a hand-over that was confirmed before the marker gives its state to the next generation`() {
        var scene = IssuingScene()
        scene.tell(.suspect)
        let marker = scene.marker
        scene.tell(.handedOver, scene.baton(slice: 1, state: IssuingScene.state("open")))
        if let marker { scene.receive(.marker(marker)) }
        #expect(scene.issued?.state == IssuingScene.state("open"))
        #expect(scene.lane == .continued)
    }

    @Test func `the state that started carries is known to the next generation`() {
        var scene = IssuingScene()
        scene.tell(.started, scene.baton(state: IssuingScene.state("open")))
        scene.crash()
        #expect(scene.issued?.state == IssuingScene.state("open"))
    }

    @Test func `news that overtook each other do not turn the job back`() {
        var scene = IssuingScene()
        scene.tell(.started, scene.baton(slice: 1, state: IssuingScene.state("b")))
        scene.tell(.handedOver, scene.baton(slice: 1, state: IssuingScene.state("a")))
        #expect(scene.job?.status == .running)
        #expect(scene.job?.baton.state == IssuingScene.state("b"))
    }

    @Test func `a suspect of an older generation is dropped`() {
        var scene = IssuingScene()
        scene.crash()
        scene.tell(.suspect, scene.baton(generation: 1))
        #expect(scene.publications.isEmpty)
        #expect(scene.note == .olderGeneration)
        #expect(scene.job?.generation == 2)
    }

    @Test func `a suspect of an ended round is dropped`() {
        var scene = IssuingScene()
        scene.tell(.completed)
        scene.tell(.suspect)
        #expect(scene.publications.isEmpty)
        #expect(scene.note == .roundHasEnded)
    }

    @Test func `a marker that comes twice issues once`() {
        var scene = IssuingScene()
        scene.tell(.suspect)
        let marker = scene.marker
        scene.markerComesBy()
        if let marker { scene.receive(.marker(marker)) }
        #expect(scene.publications.isEmpty)
        #expect(scene.note == .staleMarker)
    }

    @Test func `a repeated suspect sends the same marker again`() {
        var scene = IssuingScene()
        scene.tell(.suspect)
        let first = scene.marker
        scene.tell(.suspect)
        #expect(scene.marker == first)
    }

    @Test func `an unknown job is issued from the suspect itself, above the log's fence`() {
        var scene = IssuingScene(isKnown: false)
        scene.fence = 4
        scene.tell(.suspect, scene.baton(generation: 4))
        scene.markerComesBy()
        #expect(scene.issued?.generation == 5)
        #expect(scene.issued?.job == scene.order)
    }

    @Test func `an unknown job's suspect below the fence is dropped`() {
        var scene = IssuingScene(isKnown: false)
        scene.fence = 4
        scene.tell(.suspect, scene.baton(generation: 3))
        #expect(scene.publications.isEmpty)
        #expect(scene.job?.generation == 4)
    }

    @Test func `a ledger that was put back issues above every fence in the log`() {
        var scene = IssuingScene()
        scene.fence = 7
        scene.tell(.suspect, scene.baton(generation: 7))
        scene.markerComesBy()
        #expect(scene.issued?.generation == 8)
    }

    @Test func `a late state of an older generation issues nothing`() {
        var scene = IssuingScene()
        scene.crash()
        scene.tell(.handedOver, scene.baton(generation: 1, slice: 1, state: IssuingScene.state("late")))
        #expect(scene.publications.isEmpty)
        #expect(scene.note == .olderGeneration)
        #expect(scene.job?.generation == 2)
    }

    @Test func `what is recorded of a suspect shows neither inline bytes nor a URL's query`() throws {
        var scene = IssuingScene()
        scene.tell(.suspect)
        for action in scene.actions {
            guard case .record(let event) = action else { continue }
            #expect(event.job == scene.order.redacted)
        }
    }

    @Test func `a repeated publication is flagged, and only a baton can be`() throws {
        var scene = IssuingScene()
        scene.crash()
        let issued = try #require(scene.issued)
        let action = IssuingAction.issue(issued, lane: .normal, maybeRepeated: false)
        #expect(action.repeated == .issue(issued, lane: .normal, maybeRepeated: true))
        #expect(IssuingAction.append(.lift([])).repeated == .append(.lift([])))
    }

    @Test func `a job known from events alone becomes whole when its order comes`() {
        var scene = IssuingScene(isKnown: false)
        scene.tell(.started)
        #expect(scene.job?.isWhole == false)
        scene.receive(.job(scene.order, maybeRepeated: false))
        #expect(scene.job?.isWhole == true)
        #expect(scene.job?.status == .running)
        #expect(scene.job?.baton.job == scene.order)
    }
}
