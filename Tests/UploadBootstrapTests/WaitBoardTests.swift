import Foundation
import Testing
import Uploads

@testable import UploadBootstrap

struct WaitBoardTests {
    private let job = UploadJob(
        source: .inline(Data()), destination: .named(DestinationName(unchecked: "x"), key: "k"), size: 100)
    private let now = Date(timeIntervalSince1970: 1000)
    private var board = WaitBoard()

    init() {
        board.add(job.id, at: 0, size: 100)
    }

    private func event(_ kind: EventKind, _ change: (inout EventData) -> Void = { _ in }) -> UploadEvent {
        var event = UploadEvent(kind: kind, of: Baton(job: job), at: now)
        change(&event.data)
        return event
    }

    @Test func `a worker's completed is believed, and told once`() {
        var board = board
        guard case .ended(_, let end)? = board.apply(event(.completed)) else {
            Issue.record("not ended")
            return
        }
        #expect(end.kind == .completed)
        #expect(board.isDone)
        #expect(board.bytesDone == 100)
        #expect(board.failedCount == 0)
        #expect(board.apply(event(.completed).asOutcome) == nil)
        #expect(board.endedCount == 1)
    }

    @Test func `that it failed is believed of the ledger alone`() {
        var board = board
        let failed = event(.failed) { $0.error = UploadError(.rejected, "no") }
        guard case .trouble? = board.apply(failed) else {
            Issue.record("a worker's word ended it")
            return
        }
        #expect(!board.isDone)
        guard case .ended? = board.apply(failed.asOutcome) else {
            Issue.record("the ledger's word did not end it")
            return
        }
        #expect(board.failedCount == 1)
        #expect(board.isDone)
    }

    @Test func `progress moves the sum, back as well`() {
        var board = board
        _ = board.apply(event(.progress) { $0.bytesDone = 60 })
        #expect(board.bytesDone == 60)
        _ = board.apply(event(.progress) { $0.bytesDone = 40 })
        #expect(board.bytesDone == 40)
        _ = board.apply(event(.progress) { $0.bytesDone = 4000 })
        #expect(board.bytesDone == 100)
    }

    @Test func `the same trouble is told once`() {
        var board = board
        let waiting = event(.waiting) {
            $0.error = UploadError(.networkFailure, "no answer")
            $0.reason = "retry"
            $0.waitingUntil = Date(timeIntervalSince1970: 1007.5)
        }
        guard case .trouble(_, let text)? = board.apply(waiting) else {
            Issue.record("not told")
            return
        }
        #expect(text == "no answer; next attempt in 8s")
        #expect(board.apply(waiting) == nil)
    }

    @Test func `what was there already is told as kept`() {
        var board = board
        let end = event(.completed) { $0.object = StoredObject(location: "/srv/k", isKept: true) }
        guard case .ended(_, let told)? = board.apply(end) else {
            Issue.record("not ended")
            return
        }
        let upload = PlannedUpload(path: "k", place: .known(job.destination), size: 100, contentType: "a/b")
        #expect(WaitDisplay.outcome(upload, told) == "kept k: x:k was there already")
        #expect(board.failedCount == 0)
    }

    @Test func `what has ended is counted and forgotten, and what was not published is not counted`() {
        var board = board
        var other = job
        other.id = JobID()
        board.add(other.id, at: 1, size: 50)
        board.add(other.id, at: 1, size: 50)
        #expect(board.count == 2 && board.bytesTotal == 150 && board.open.map(\.index) == [0, 1])
        _ = board.apply(event(.completed))
        board.remove(job.id)
        #expect(board.count == 2 && board.endedCount == 1 && board.open.map(\.index) == [1])
        board.remove(other.id)
        #expect(board.count == 1 && board.isDone && board.bytesTotal == 100 && board.bytesDone == 100)
    }

    @Test func `somebody else's events change nothing`() {
        var board = board
        var other = job
        other.id = JobID()
        #expect(board.apply(UploadEvent(kind: .completed, of: Baton(job: other), at: now)) == nil)
        #expect(board.endedCount == 0)
    }
}
