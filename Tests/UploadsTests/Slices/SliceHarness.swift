import Foundation
import Testing

@testable import Uploads

/// Drives a machine by hand: each `expect` names the action that must come, `tell` the fact that follows.
struct SliceHarness {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    static let object = StoredObject(location: "/archive/cat.jpg", etag: "e1", size: 100)
    static let state = UploadState(driver: "directory", payload: ["session": "s1"])
    static let otherState = UploadState(driver: "directory", payload: ["session": "s2"])
    static let done = CompletedUpload(object)

    /// The state as a slice leaves it that has used up its time.
    static func marked(_ state: UploadState, _ bytesMissing: Int64?) -> UploadState {
        UploadState(driver: state.driver, payload: state.payload, bytesMissing: bytesMissing)
    }

    var machine: SliceMachine
    var now = start
    var actions: [SliceAction] = []

    init(_ baton: Baton, rules: SliceRules = SliceRules(), seed: UInt64 = 1) {
        machine = SliceMachine(baton: baton, rules: rules, seed: seed)
    }

    static func job(source: SourceReference = .staged(area: "a1", name: "n1")) -> UploadJob {
        UploadJob(
            source: source, destination: .named(DestinationName(unchecked: "archive"), key: "cat.jpg"), size: 100,
            enqueuedAt: start)
    }

    static func baton(
        _ job: UploadJob = job(), round: Int = 1, generation: Int = 1, slice: Int = 0, state: UploadState? = nil,
        isCancel: Bool = false
    ) -> Baton {
        var baton = Baton(job: job, round: round, generation: generation)
        baton.slice = slice
        baton.state = state
        baton.isCancel = isCancel
        return baton
    }

    static func error(_ code: UploadError.Code, retry: UploadError.Retry? = nil) -> UploadError {
        UploadError(code, "it went wrong: look again", retry: retry)
    }

    @discardableResult
    mutating func tell(_ fact: SliceFact) -> [SliceAction] {
        actions = machine.handle(fact, at: now)
        return actions
    }

    /// Answers every question for the validity until another action comes.
    @discardableResult
    mutating func holding(_ fact: SliceFact) -> [SliceAction] {
        tell(fact)
        while actions == [.checkValidity] { tell(.validity(.holds)) }
        return actions
    }

    /// Runs up to the found destination.
    @discardableResult
    mutating func begin(canYield: Bool = true, parts: Int? = nil, driver: String = "directory") -> [SliceAction] {
        holding(.begun)
        if case .tellStarted = actions.first { holding(.toldStarted) }
        return holding(.destinationFound(DestinationFacts(driver: driver, canYield: canYield, parts: parts)))
    }

    /// Runs up to the parts of a session that was handed over.
    @discardableResult
    mutating func resume(partCount: Int, missing: Int, canYield: Bool = true) -> [SliceAction] {
        begin(canYield: canYield)
        holding(.probed(.partial(Self.state, beside: nil)))
        holding(.sourceClaimed)
        return holding(
            .opened(
                SessionFacts(
                    state: Self.state, partCount: partCount, missingCount: missing, bytesMissing: Int64(missing))))
    }

    var settlement: Settlement? {
        if case .settle(let settlement)? = actions.last { settlement } else { nil }
    }

    var outcome: Outcome? {
        if case .ended(let outcome)? = settlement { outcome } else { nil }
    }

    var failure: UploadError? {
        if case .failed(let error, _)? = outcome { error } else { nil }
    }

    /// The wait that was settled for: seconds from now, the reason's label, the state.
    var wait: (seconds: TimeInterval, reason: String, state: UploadState?)? {
        guard case .wait(let until, let reason, let state)? = settlement else { return nil }
        return (until.timeIntervalSince(now), reason.label, state)
    }
}
