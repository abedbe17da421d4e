import Foundation
import Testing
import Uploads

@testable import UploadClient

/// The changes that the notifier's answer makes, and those that it does not make.
@Suite struct FollowedUploadTests {
    private static let start = Date(timeIntervalSince1970: 1_795_000_000)
    private let job = UploadJob(
        source: .inline(Data()), destination: .named(DestinationName(unchecked: "archive"), key: "a"), size: 100)

    private func baton(round: Int = 1, generation: Int = 1, slice: Int = 0) -> Baton {
        var baton = Baton(job: job, round: round, generation: generation)
        baton.slice = slice
        return baton
    }

    private func event(_ kind: EventKind, _ baton: Baton, bytesDone: Int64? = nil, second: Double = 0) -> UploadEvent {
        var event = UploadEvent(kind: kind, of: baton, at: Self.start.addingTimeInterval(second))
        event.data.bytesDone = bytesDone
        return event
    }

    private func report(
        _ status: LedgerStatus, _ baton: Baton, bytesDone: Int64? = nil, second: Double = 0
    ) -> JobReport {
        var known = LedgerJob(baton, isWhole: true, at: Self.start)
        known.status = status
        known.isSliceStarted = status == .running
        var report = JobReport(known)
        if let bytesDone {
            report.note(bytesDone: bytesDone, bytesPerSecond: 7, at: Self.start.addingTimeInterval(second))
        }
        return report
    }

    private func followed(round: Int = 1) -> Followed { Followed(UploadUpdate(job), round: round) }

    private func state(_ upload: Followed) -> String {
        let update = upload.update
        return "\(update.status) \(update.bytesDone) \(update.bytesPerSecond ?? 0)"
    }

    @Test func `an upload of which nothing was heard stands as the answer says`() {
        let upload = followed()
        #expect(upload.learn(report(.running, baton(slice: 3), bytesDone: 40)))
        #expect(state(upload) == "running 40 7.0")
        #expect(upload.update.fractionDone == 0.4)
        #expect(upload.learn(report(.paused, baton(slice: 4))))
        #expect(state(upload) == "paused 40 0.0")
        #expect(upload.learn(report(.queued, baton(generation: 2))), "it was resumed")
        #expect(state(upload) == "queued 40 0.0")
    }

    @Test func `what waits says for what, and what stands in its way`() {
        var known = LedgerJob(baton(slice: 1), isWhole: true, at: Self.start)
        known.status = .waiting
        known.reason = "retry"
        known.waitingUntil = Self.start
        known.trouble = "503"
        known.baton.failures = [FailureRecord(at: Self.start, attempt: 1, error: UploadError(.serverFailure, "503"))]
        let upload = followed()
        #expect(upload.learn(JobReport(known)))
        guard case .waiting(Self.start, "retry", let error?) = upload.update.status else {
            Issue.record("\(upload.update.status)")
            return
        }
        #expect(error.code == .serverFailure && error.message == "503")
    }

    @Test(arguments: [
        // The last event, and an answer that is not later.
        (EventKind.paused, 2, 0.0, LedgerStatus.running, 1, nil as Double?), (.paused, 2, 0, .paused, 2, nil),
        (.started, 2, 0, .queued, 2, nil), (.started, 2, 0, .running, 2, nil), (.progress, 2, 5, .running, 2, 4),
        (.progress, 2, 5, .running, 2, 5), (.progress, 2, 5, .running, 2, nil), (.waiting, 2, 0, .running, 1, 9),
    ])
    func `an answer that is no later than what was heard changes nothing`(
        _ kind: EventKind, _ slice: Int, _ second: Double, _ status: LedgerStatus, _ answered: Int, _ told: Double?
    ) {
        let upload = followed()
        #expect(upload.hear(event(kind, baton(slice: slice), bytesDone: 50, second: second)))
        let before = state(upload)
        let answer = report(
            status, baton(slice: answered), bytesDone: told.map { _ in 10 }, second: told ?? 0)
        #expect(!upload.learn(answer))
        #expect(state(upload) == before)
    }

    @Test(arguments: [
        (EventKind.started, 2, 0.0, LedgerStatus.paused, 3, nil as Double?), (.paused, 2, 0, .running, 2, nil),
        (.progress, 2, 5, .running, 2, 6), (.started, 2, 5, .running, 2, 1), (.handedOver, 2, 0, .running, 2, 0),
    ])
    func `an answer that is later than what was heard counts`(
        _ kind: EventKind, _ slice: Int, _ second: Double, _ status: LedgerStatus, _ answered: Int, _ told: Double?
    ) {
        let upload = followed()
        #expect(upload.hear(event(kind, baton(slice: slice), bytesDone: 50, second: second)))
        #expect(
            upload.learn(
                report(status, baton(slice: answered), bytesDone: told.map { _ in 60 }, second: told ?? 0)))
        #expect(state(upload).hasPrefix("\(status)"))
        if told != nil { #expect(upload.update.bytesDone == 60) }
    }

    @Test func `events that come late, from before the answer, change nothing; later ones count`() {
        let upload = followed()
        #expect(upload.learn(report(.running, baton(generation: 2, slice: 1), bytesDone: 60, second: 9)))
        #expect(!upload.hear(event(.paused, baton(generation: 1, slice: 8))))
        #expect(!upload.hear(event(.handedOver, baton(generation: 2, slice: 1))))
        #expect(!upload.hear(event(.started, baton(generation: 2, slice: 1))))
        #expect(!upload.hear(event(.progress, baton(generation: 2, slice: 1), bytesDone: 40, second: 8)))
        #expect(state(upload) == "running 60 7.0")
        #expect(upload.hear(event(.progress, baton(generation: 2, slice: 1), bytesDone: 70, second: 10)))
        #expect(upload.update.bytesDone == 70)
        #expect(upload.hear(event(.paused, baton(generation: 2, slice: 2))))
        #expect(state(upload) == "paused 70 0.0")
        #expect(!upload.learn(report(.running, baton(generation: 2, slice: 1), bytesDone: 99, second: 30)))
    }

    /// Events come in the order of their queue; only an answer, which comes another way, may be overtaken.
    @Test func `without an answer every event counts`() {
        let upload = followed()
        #expect(upload.hear(event(.paused, baton(slice: 5))))
        #expect(upload.hear(event(.started, baton(slice: 4))))
        #expect(state(upload) == "running 0 0.0")
    }

    @Test(arguments: [LedgerStatus.completed, .failed, .cancelled])
    func `an end is told by the durable queue alone`(_ status: LedgerStatus) {
        let upload = followed()
        #expect(!upload.learn(report(status, baton(slice: 9))))
        #expect(state(upload) == "queued 0 0.0")
    }

    @Test func `an answer about an earlier round changes nothing`() {
        let upload = followed(round: 2)
        #expect(!upload.learn(report(.paused, baton(round: 1, slice: 9))))
        #expect(upload.learn(report(.paused, baton(round: 2, slice: 1))))
    }

    @Test func `the size of an object is learned from the answer`() {
        var object = job
        object.source = .object(.named(DestinationName(unchecked: "shelf"), key: "a"), seen: nil)
        object.size = 0
        let upload = Followed(UploadUpdate(object), round: 1)
        #expect(upload.learn(JobReport(LedgerJob(Baton(job: object), isWhole: true, at: Self.start))))
        #expect(!upload.update.isSizeKnown)
        let seen = object.examined(as: StoredObject(location: "/shelf/a", size: 30))
        #expect(upload.learn(JobReport(LedgerJob(Baton(job: seen, generation: 2), isWhole: true, at: Self.start))))
        #expect(upload.update.isSizeKnown && upload.update.bytesTotal == 30)
    }
}

/// A reference type, so that an expectation may change the value.
private final class Followed {
    private var upload: FollowedUpload

    init(_ update: UploadUpdate, round: Int) { upload = FollowedUpload(update, round: round) }

    var update: UploadUpdate { upload.update }

    func hear(_ event: UploadEvent) -> Bool { upload.hear(event) }
    func learn(_ report: JobReport) -> Bool { upload.learn(report) }
}
