import Foundation
import Testing
import Uploads

@testable import UploadEmbedded

@Suite("A local queue's job") struct LocalJobTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)
    private let state = UploadState(driver: "s3", payload: ["uploadId": "1"])
    private let later = UploadState(driver: "s3", payload: ["uploadId": "2"])

    private func job(_ change: (inout UploadJob) -> Void = { _ in }) throws -> LocalJob {
        var job = UploadJob(
            source: .inline(Data("text".utf8)), destination: try DestinationReference("https://example.org/a?key=1"),
            size: 4, enqueuedAt: now)
        change(&job)
        return LocalJob(job)
    }

    private func claimed(_ change: (inout UploadJob) -> Void = { _ in }) throws -> LocalJob {
        var job = try job(change)
        job.claim()
        return job
    }

    private func order(_ verb: Verb, _ job: LocalJob, round: Int? = nil) -> LocalOrder {
        LocalOrder(verb: verb, job: job.id, round: round)
    }

    private func failed() throws -> LocalJob {
        var job = try claimed()
        let error = UploadError(.serverFailure, "no")
        _ = job.settle(SettledSlice(.ended(.failed(error, state: state))), from: .normal, at: now)
        return job
    }

    // MARK: Giving out

    @Test func `it is given out once, and not before its time`() throws {
        var job = try job { $0.notBefore = now + 60 }
        #expect(!job.isReady(at: now + 59))
        #expect(job.isReady(at: now + 60))
        job.claim()
        #expect(!job.isReady(at: now + 60))
    }

    @Test func `what is handed over goes on before what was not begun`() throws {
        var job = try claimed()
        let slice = SettledSlice(.handOver(state), report: SliceReport(bytesSent: 3, startedAt: now))
        let event = job.settle(slice, from: .normal, at: now)
        #expect(event?.kind == .handedOver)
        #expect(job.lane == .continued && job.baton.slice == 1 && job.baton.state == state)
        #expect(job.isReady(at: now))
    }

    @Test func `what waits keeps its delay and is not claimed meanwhile`() throws {
        var job = try claimed()
        let error = UploadError(.networkFailure, "away", retry: .afterBackoff)
        let wait = Settlement.wait(until: now + 30, reason: .retry(error), state: nil)
        let event = job.settle(SettledSlice(wait), from: .normal, at: now)
        #expect(event?.kind == .waiting && event?.data.error == error)
        #expect(!job.isClaimed && job.baton.attempts == 1)
        #expect(!job.isReady(at: now + 29))
        #expect(job.isReady(at: now + 30))
    }

    @Test func `an end is kept under the outcome's id, with the order as whole as before`() throws {
        let job = try failed()
        #expect(job.end?.id == "\(job.id).1.ended")
        #expect(job.isToBeNoted && !job.isReady(at: now))
        #expect(job.baton.job.destination == (try DestinationReference("https://example.org/a?key=1")))
        #expect(job.end?.job.destination != job.baton.job.destination)
        #expect(job.baton.state == state && job.baton.attempts == 1)
    }

    @Test func `it is the same after it was written down`() throws {
        let job = try failed()
        #expect(try WireJSON.decode(LocalJob.self, from: WireJSON.encode(job)) == job)
    }

    // MARK: Dying

    @Test func `what was claimed when its process died is issued anew, and asks the destination first`() throws {
        var job = try claimed()
        _ = job.start(state: state, at: now)
        job.recover(at: now)
        #expect(job.baton.generation == 2 && job.baton.isIssued && job.baton.mustProbe)
        #expect(job.baton.state == state && job.lane == .continued)
        #expect(job.isReady(at: now))
    }

    @Test func `a job that no worker had claimed stays as it is`() throws {
        var job = try job()
        let before = job
        job.recover(at: now)
        #expect(job == before)
    }

    @Test func `what dies again and again without progress runs alone, and is given up at last`() throws {
        var job = try job()
        var alone: [Bool] = []
        for _ in 1...5 {
            job.claim()
            _ = job.start(state: nil, at: now)
            job.recover(at: now)
            alone.append(job.baton.runsAlone)
        }
        #expect(alone == [false, true, true, true, true])
        #expect(job.end?.data.error?.code == .poisoned)
        #expect(job.isToBeNoted)
    }

    @Test func `what was not told to work does not count against it`() throws {
        var job = try job()
        for _ in 1...9 {
            job.claim()
            job.recover(at: now)
        }
        #expect(job.end == nil && job.poisonCount == 0 && job.baton.generation == 10)
    }

    @Test func `progress sets the count back`() throws {
        var job = try job()
        for _ in 1...4 {
            job.claim()
            _ = job.start(state: nil, at: now)
            job.recover(at: now)
        }
        #expect(job.poisonCount == 4)
        job.claim()
        _ = job.start(state: nil, at: now)
        job.progress()
        job.recover(at: now)
        #expect(job.poisonCount == 0 && !job.baton.runsAlone && job.end == nil)
    }

    @Test func `a new state is progress, and so are more bytes in the old one`() throws {
        var job = try claimed()
        _ = job.settle(SettledSlice(.handOver(state)), from: .normal, at: now)
        #expect(job.hasProgressed)
        job.claim()
        job.recover(at: now)
        #expect(!job.hasProgressed)
        job.claim()
        _ = job.settle(SettledSlice(.handOver(state)), from: .continued, at: now)
        #expect(!job.hasProgressed)
        job.claim()
        _ = job.settle(
            SettledSlice(.handOver(state), report: SliceReport(bytesSent: 1, startedAt: now)), from: .continued,
            at: now)
        #expect(job.hasProgressed)
    }

    @Test func `a slice that gave up without an answer is issued anew after a while`() throws {
        var job = try claimed()
        #expect(job.settle(SettledSlice(.abandoned), from: .normal, at: now) == nil)
        #expect(job.baton.generation == 2 && !job.isReady(at: now) && job.isReady(at: now + 5))
    }

    // MARK: Orders

    @Test func `cancelling issues a cancel baton that need not wait until other workers hear of it`() throws {
        var job = try claimed()
        _ = job.obey(order(.pause, job), hasBegun: true, at: now)
        _ = job.obey(order(.cancel, job), hasBegun: true, at: now)
        #expect(job.baton.isCancel && job.baton.generation == 2 && job.lane == .urgent)
        #expect(job.baton.slice > 0 && job.baton.idleWaits > 0)
        #expect(job.isReady(at: now))
        #expect(throws: UploadError.self) { try job.check(.resume) }
        let before = job
        _ = job.obey(order(.cancel, job), hasBegun: true, at: now)
        #expect(job == before)
    }

    @Test func `a cancelled upload whose process died stays cancelled`() throws {
        var job = try claimed()
        _ = job.obey(order(.cancel, job), hasBegun: true, at: now)
        job.claim()
        job.recover(at: now)
        #expect(job.baton.isCancel && job.lane == .urgent && job.baton.slice > 0)
    }

    @Test func `a paused upload is not given out until it is resumed`() throws {
        var job = try job()
        #expect(job.obey(order(.pause, job), hasBegun: false, at: now)?.kind == .paused)
        #expect(!job.isReady(at: .distantFuture))
        #expect(job.obey(order(.resume, job), hasBegun: false, at: now)?.kind == .enqueued)
        #expect(job.isReady(at: now))
        #expect(throws: UploadError.self) { try job.check(.resume) }
    }

    @Test func `a pause that was lifted while the slice obeyed holds nothing`() throws {
        let wait = SettledSlice(.wait(until: now + 3600, reason: .paused, state: state))
        var job = try claimed()
        _ = job.obey(order(.pause, job), hasBegun: true, at: now)
        var held = job
        #expect(held.settle(wait, from: .normal, at: now)?.kind == .paused)
        #expect(!held.isReady(at: .distantFuture))
        _ = job.obey(order(.resume, job), hasBegun: true, at: now)
        #expect(job.settle(wait, from: .normal, at: now)?.kind == .enqueued)
        #expect(job.isReady(at: now))
    }

    @Test func `running now ends a wait and a pause, and comes first`() throws {
        var job = try claimed()
        let error = UploadError(.networkFailure, "away", retry: .afterBackoff)
        let wait = Settlement.wait(until: now + 30, reason: .retry(error), state: nil)
        _ = job.settle(SettledSlice(wait), from: .normal, at: now)
        _ = job.obey(order(.pause, job), hasBegun: false, at: now)
        _ = job.obey(order(.runNow, job), hasBegun: false, at: now)
        #expect(job.lane == .urgent && job.isReady(at: now))
        job.claim()
        _ = job.start(state: nil, at: now)
        #expect(throws: UploadError.self) { try job.check(.runNow) }
    }

    @Test func `what waits for a slot is issued anew to run now, and what works is left alone`() throws {
        var waiting = try claimed()
        _ = waiting.obey(order(.runNow, waiting), hasBegun: false, at: now)
        #expect(waiting.baton.generation == 2 && waiting.lane == .urgent)
        var working = try claimed()
        _ = working.obey(order(.runNow, working), hasBegun: true, at: now)
        #expect(working.baton.generation == 1 && working.isClaimed)
    }

    @Test func `a failed upload begins another round with its state, once for each round that was asked for`() throws {
        var job = try failed()
        let again = order(.runAgain, job, round: 2)
        _ = job.obey(again, hasBegun: false, at: now)
        #expect(job.baton.round == 2 && job.baton.generation == 2 && job.baton.attempts == 0)
        #expect(job.baton.state == state && job.end == nil && job.isReady(at: now))
        job.claim()
        _ = job.settle(
            SettledSlice(.ended(.failed(UploadError(.serverFailure, "no"), state: later))), from: .normal, at: now)
        let before = job
        _ = job.obey(again, hasBegun: false, at: now)
        #expect(job == before)
        #expect(job.end?.id == "\(job.id).2.ended")
    }

    @Test func `what has ended otherwise is not run again, and obeys nothing`() throws {
        var job = try claimed()
        let object = StoredObject(location: "there")
        _ = job.settle(SettledSlice(.ended(.completed(object, response: nil))), from: .normal, at: now)
        for verb in Verb.allCases {
            #expect(throws: UploadError.self) { try job.check(verb) }
            let before = job
            #expect(job.obey(order(verb, job), hasBegun: false, at: now) == nil)
            #expect(job == before)
        }
    }
}
