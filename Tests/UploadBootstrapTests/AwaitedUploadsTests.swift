import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct AwaitedUploadsTests {
    private let job = UploadJob(
        source: .inline(Data()), destination: .named(DestinationName(unchecked: "x"), key: "k"), size: 100)
    private let now = Date(timeIntervalSince1970: 1000)
    private var awaited = AwaitedUploads()

    init() {
        awaited.add(job.id, at: 0, size: 100)
    }

    private func event(_ kind: EventKind, _ change: (inout EventData) -> Void = { _ in }) -> UploadEvent {
        var event = UploadEvent(kind: kind, of: Baton(job: job), at: now)
        change(&event.data)
        return event
    }

    @Test func `a worker's completed is believed, and told once`() {
        var awaited = awaited
        guard case .ended(_, let end)? = awaited.apply(event(.completed)) else {
            Issue.record("not ended")
            return
        }
        #expect(end.kind == .completed)
        #expect(awaited.isDone)
        #expect(awaited.bytesDone == 100)
        #expect(awaited.failedCount == 0)
        #expect(awaited.apply(event(.completed).asOutcome) == nil)
        #expect(awaited.endedCount == 1)
    }

    @Test func `that it failed is believed of the ledger alone`() {
        var awaited = awaited
        let failed = event(.failed) { $0.error = UploadError(.rejected, "no") }
        guard case .trouble? = awaited.apply(failed) else {
            Issue.record("a worker's word ended it")
            return
        }
        #expect(!awaited.isDone)
        guard case .ended? = awaited.apply(failed.asOutcome) else {
            Issue.record("the ledger's word did not end it")
            return
        }
        #expect(awaited.failedCount == 1)
        #expect(awaited.isDone)
    }

    @Test func `progress moves the sum, back as well`() {
        var awaited = awaited
        _ = awaited.apply(event(.progress) { $0.bytesDone = 60 })
        #expect(awaited.bytesDone == 60)
        _ = awaited.apply(event(.progress) { $0.bytesDone = 40 })
        #expect(awaited.bytesDone == 40)
        _ = awaited.apply(event(.progress) { $0.bytesDone = 4000 })
        #expect(awaited.bytesDone == 100)
    }

    @Test func `what runs is known in the order in which it began, with its rate while it is fresh`() throws {
        var awaited = awaited
        let other = UploadJob(
            source: .inline(Data()), destination: .named(DestinationName(unchecked: "x"), key: "l"), size: 50)
        awaited.add(other.id, at: 1, size: 50)
        #expect(awaited.running(8, at: 0).isEmpty)
        _ = awaited.apply(UploadEvent(kind: .started, of: Baton(job: other), at: now), at: 1)
        let progress = event(.progress) { ($0.bytesDone, $0.bytesPerSecond) = (60, 7) }
        _ = awaited.apply(progress, at: 2)
        let running = awaited.running(8, at: 3)
        #expect(running.map(\.entry.index) == [1, 0] && running.map(\.bytesPerSecond) == [nil, 7])
        #expect(running.map(\.entry.bytesDone) == [0, 60])
        #expect(awaited.running(1, at: 3).map(\.entry.index) == [1] && awaited.runningCount == 2)
        #expect(awaited.running(8, at: 12).map(\.bytesPerSecond) == [nil, nil], "its worker is silent")
        _ = awaited.apply(event(.handedOver), at: 13)
        #expect(awaited.runningCount == 2, "another worker goes on with it")
        _ = awaited.apply(event(.waiting) { $0.reason = "retry" }, at: 14)
        #expect(awaited.running(8, at: 14).map(\.entry.index) == [1])
        awaited.remove(other.id)
        #expect(awaited.runningCount == 0)
        _ = awaited.apply(progress, at: 15)
        _ = awaited.apply(event(.completed), at: 16)
        #expect(awaited.runningCount == 0)
    }

    @Test func `a trouble of many uploads is told each time their number has doubled`() {
        var awaited = AwaitedUploads()
        var told: [String] = []
        for index in 0..<9 {
            let job = UploadJob(
                source: .inline(Data()), destination: .named(DestinationName(unchecked: "x"), key: "\(index)"), size: 1)
            awaited.add(job.id, at: index, size: 1)
            var waiting = UploadEvent(kind: .waiting, of: Baton(job: job), at: now)
            waiting.data.error = UploadError(.destinationAway, "it is away")
            if case .trouble(_, let text)? = awaited.apply(waiting) { told.append(text) }
        }
        #expect(
            told == [
                "it is away", "it is away (so far of 2 uploads)", "it is away (so far of 4 uploads)",
                "it is away (so far of 8 uploads)",
            ])
    }

    @Test func `the same trouble is told once`() {
        var awaited = awaited
        let waiting = event(.waiting) {
            $0.error = UploadError(.networkFailure, "no answer")
            $0.reason = "retry"
            $0.waitingUntil = Date(timeIntervalSince1970: 1007.5)
        }
        guard case .trouble(_, let text)? = awaited.apply(waiting) else {
            Issue.record("not told")
            return
        }
        #expect(text == "no answer; next attempt in 8s")
        #expect(awaited.apply(waiting) == nil)
    }

    @Test func `what was there already is told as kept`() {
        var awaited = awaited
        let end = event(.completed) { $0.object = StoredObject(location: "/srv/k", isKept: true) }
        guard case .ended(_, let told)? = awaited.apply(end) else {
            Issue.record("not ended")
            return
        }
        let upload = PlannedUpload(path: "k", place: .known(job.destination), size: 100, contentType: "a/b")
        #expect(WaitDisplay.outcome(upload, told) == "kept k: x:k was there already")
        #expect(awaited.failedCount == 0)
    }

    @Test func `what has ended is counted and forgotten, and what was not published is not counted`() {
        var awaited = awaited
        var other = job
        other.id = JobID()
        awaited.add(other.id, at: 1, size: 50)
        awaited.add(other.id, at: 1, size: 50)
        #expect(awaited.count == 2 && awaited.bytesTotal == 150 && awaited.open.map(\.index) == [0, 1])
        _ = awaited.apply(event(.completed))
        awaited.remove(job.id)
        #expect(awaited.count == 2 && awaited.endedCount == 1 && awaited.open.map(\.index) == [1])
        awaited.remove(other.id)
        #expect(awaited.count == 1 && awaited.isDone && awaited.bytesTotal == 100 && awaited.bytesDone == 100)
    }

    @Test func `events of another job change nothing`() {
        var awaited = awaited
        var other = job
        other.id = JobID()
        #expect(awaited.apply(UploadEvent(kind: .completed, of: Baton(job: other), at: now)) == nil)
        #expect(awaited.endedCount == 0)
    }
}
