import Foundation
import Uploads

/// A job and its machine, for tests that send one message after another.
struct IssuingScene {
    var job: LedgerJob?
    var fence = 1
    var actions: [IssuingAction] = []
    let order: UploadJob
    let start = Date(timeIntervalSince1970: 1_800_000_000)

    init(_ order: UploadJob = IssuingScene.inlineOrder, isKnown: Bool = true) {
        self.order = order
        if isKnown { receive(.job(order, maybeRepeated: false)) }
    }

    /// Inline, so that a redacted job cannot be mistaken for a whole one.
    static let inlineOrder = UploadJob(
        source: .inline(Data("hello".utf8)), destination: .url("https://host.example/a?signature=secret"), size: 5,
        enqueuedAt: Date(timeIntervalSince1970: 1_800_000_000))

    static func state(_ name: String) -> UploadState { UploadState(driver: "test", payload: .string(name)) }

    func baton(generation: Int? = nil, round: Int? = nil, slice: Int = 0, state: UploadState? = nil) -> Baton {
        var baton = Baton(job: order, round: round ?? job?.round ?? 1, generation: generation ?? job?.generation ?? 1)
        baton.slice = slice
        baton.state = state
        return baton
    }

    mutating func receive(_ message: NotifierMessage) {
        let decision = IssuingMachine(fence: fence, now: start).receive(message, for: job)
        job = decision.job
        actions = decision.actions
    }

    mutating func tell(_ kind: EventKind, _ baton: Baton? = nil) {
        receive(.event(UploadEvent(kind: kind, of: baton ?? self.baton(), at: start)))
    }

    mutating func order(_ verb: Verb) throws(UploadError) {
        guard let known = job else { return }
        let decision = try IssuingMachine(fence: fence, now: start).order(verb, of: known)
        job = decision.job
        actions = decision.actions
    }

    /// Reads back the marker that the last message asked for, and takes over the fence of an issue.
    mutating func markerComesBy() {
        guard let marker else { return }
        receive(.marker(marker))
        for action in actions {
            if case .append(.fence(let fences)) = action { fence = max(fence, fences[order.id] ?? 1) }
        }
    }

    /// Sends a suspect of the current generation, and issues it anew.
    mutating func crash(slice: Int = 0) {
        tell(.suspect, baton(slice: slice))
        markerComesBy()
    }

    /// Sends the dead letter of the current generation.
    mutating func lose(_ cause: DeathCause, slice: Int = 0) { receive(.deadBaton(baton(slice: slice), cause)) }

    /// Begins to issue the held job.
    mutating func issueHeld() {
        guard let known = job else { return }
        let decision = IssuingMachine(fence: fence, now: start).issueHeld(known)
        job = decision.job
        actions = decision.actions
    }

    var marker: IssueMarker? {
        actions.lazy.compactMap { if case .mark(let marker) = $0 { marker } else { nil } }.first
    }
    var issued: Baton? { actions.lazy.compactMap { if case .issue(let baton, _, _) = $0 { baton } else { nil } }.first }
    var lane: Lane? { actions.lazy.compactMap { if case .issue(_, let lane, _) = $0 { lane } else { nil } }.first }
    var outcome: UploadEvent? {
        actions.lazy.compactMap { if case .outcome(let event) = $0 { event } else { nil } }.first
    }
    var note: IssuingNote? { actions.lazy.compactMap { if case .note(let note) = $0 { note } else { nil } }.first }
    var entries: [ControlEntry] { actions.compactMap { if case .append(let entry) = $0 { entry } else { nil } } }
    var publications: [IssuingAction] { actions.filter(\.isPublication) }
}
