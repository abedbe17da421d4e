import Foundation
import Testing

@testable import Uploads

@Suite struct SettlementPlanTests {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let state = UploadState(driver: "directory", payload: ["offset": 7])
    let object = StoredObject(location: "/there", size: 3)

    private func baton(_ change: (inout Baton) -> Void = { _ in }) -> Baton {
        var baton = Baton(
            job: UploadJob(
                priority: .bulk, source: .inline(Data([1, 2, 3])),
                destination: .url("https://example.test/a?signature=secret"), size: 3),
            generation: 2)
        baton.slice = 4
        baton.attempts = 1
        baton.idleWaits = 3
        baton.bytesSent = 10
        baton.activeSeconds = 1
        change(&baton)
        return baton
    }

    private func plan(
        _ settlement: Settlement, of baton: Baton? = nil, report: SliceReport = SliceReport()
    ) -> SettlementPlan {
        SettlementPlan(SettledSlice(settlement, report: report), of: baton ?? self.baton(), now: now)
    }

    @Test func `of a baton that only removes a copy nothing is told, and it goes on until that is done`() {
        let removal = baton {
            $0.isCancel = true
            $0.onlyRemovesCopy = true
        }
        for settlement in [
            Settlement.ended(.cancelled), .handOver(nil), .wait(until: now, reason: .locked, state: nil),
            .ended(.failed(UploadError(.accessDenied, "it cannot be removed"), state: nil)),
        ] {
            let plan = plan(settlement, of: removal)
            #expect(plan.event == nil && plan.acknowledges)
            #expect(plan.onward.map { $0.lane == .urgent && $0.baton.onlyRemovesCopy } ?? true)
        }
        #expect(plan(.handOver(nil), of: removal).onward != nil)
        // The notifier would drop such a baton as a suspect.
        #expect(TakingVerdict(removal, isRedelivered: true, isMaybeRepeated: true, view: ControlView()) == .work)
        var view = ControlView()
        view.apply(.fence([removal.job.id: removal.generation + 1]))
        #expect(TakingVerdict(removal, isRedelivered: false, isMaybeRepeated: false, view: view) == .superseded)
    }

    @Test func `a job without a checksum gets that of the object that was made of its bytes, and the ledger keeps it`()
    {
        var object = object
        object.digests.crc64nvme = "00000000000000ff"
        let event = plan(.ended(.completed(object, response: nil))).event
        #expect(event?.data.baton.job.digests.crc64nvme == "00000000000000ff")
        let order = baton().job
        #expect(order.known(like: event?.data.baton.job ?? order).digests.crc64nvme == "00000000000000ff")
        let known = baton { $0.job.digests.crc64nvme = "0000000000000001" }
        #expect(
            plan(.ended(.completed(object, response: nil)), of: known).event?.data.baton.job.digests
                == known.job.digests)
        #expect(known.job.known(like: event?.data.baton.job ?? order).digests == known.job.digests)
        for change in [\StoredObject.isKept, \.isOvertaken] {
            var other = object
            other[keyPath: change] = true
            #expect(plan(.ended(.completed(other, response: nil))).event?.data.baton.job.digests == Digests())
        }
    }

    @Test func `what was urgent stays urgent until it ends`() {
        for settlement in [
            Settlement.handOver(state), .handOver(nil),
            .wait(until: now, reason: .retry(UploadError(.serverFailure, "503")), state: state),
        ] {
            let plan = SettlementPlan(SettledSlice(settlement), of: baton(), from: .urgent, now: now)
            #expect(plan.onward?.lane == .urgent)
        }
    }

    @Test func `what a stopped queue hands over unstarted stays ahead of its peers`() {
        let plan = SettlementPlan(SettledSlice(.handOver(nil)), of: baton(), isStopped: true, now: now)
        #expect(plan.onward?.lane == .continued)
        #expect(self.plan(.handOver(nil)).onward?.lane == .bulk)
    }

    @Test func `an examined job is handed over as it was found, and told`() {
        let baton = baton { $0.job.source = .object(.url("https://store.example/a?token=x"), seen: nil) }
        let job = baton.job.examined(as: StoredObject(location: "https://store.example/a", etag: "e", size: 70))
        let plan = plan(.altered(job), of: baton)
        #expect(plan.onward?.baton.job == job && plan.onward?.baton.slice == 5)
        #expect(plan.onward?.lane == .continued && plan.onward?.delay == nil)
        #expect(plan.event?.kind == .handedOver && plan.event?.job.size == 70)
        #expect(plan.event?.data.baton.attempts == 1, "it is no attempt")
    }

    @Test func `a baton that can count no further is handed on with counts that every reader takes`() throws {
        let most = WireLimits.countMaximum
        let last = baton {
            ($0.slice, $0.attempts, $0.idleWaits) = (most, most, most)
            $0.bytesSent = WireLimits.bytesSentMaximum
            $0.activeSeconds = WireLimits.secondsMaximum
        }
        let report = SliceReport(bytesSent: 5, activeSeconds: 5, startedAt: now)
        for settlement in [
            Settlement.handOver(state), .altered(last.job), .wait(until: now, reason: .unknownDestination, state: nil),
            .wait(until: now, reason: .retry(UploadError(.serverFailure, "503")), state: state),
        ] {
            let plan = plan(settlement, of: last, report: report)
            let onward = try #require(plan.onward?.baton)
            #expect(onward.slice == most && onward.attempts == most && onward.idleWaits <= most)
            let read = try WireJSON.decode(Baton.self, from: WireJSON.encode(onward))
            #expect(read.slice == most && read.bytesSent == onward.bytesSent, "\(settlement)")
            let event = try #require(plan.event)
            #expect(throws: Never.self) { try WireJSON.decode(UploadEvent.self, from: WireJSON.encode(event)) }
        }
    }

    @Test func `superseded acknowledges and does nothing else`() {
        let plan = plan(.superseded)
        #expect(plan.acknowledges)
        #expect(plan.onward == nil && plan.event == nil && !plan.removesStagedCopy)
    }

    @Test func `abandoned does nothing at all`() {
        let plan = plan(.abandoned)
        #expect(!plan.acknowledges)
        #expect(plan.onward == nil && plan.event == nil && !plan.removesStagedCopy)
    }

    @Test func `completed tells the object and removes the staged copy`() throws {
        let plan = plan(.ended(.completed(object, response: ServerResponse(status: 201))))
        let event = try #require(plan.event)
        #expect(event.kind == .completed)
        #expect(event.data.object == object)
        #expect(event.data.response?.status == 201)
        #expect(event.data.endedAt == now)
        #expect(plan.removesStagedCopy && plan.acknowledges && plan.onward == nil)
    }

    @Test func `cancelled removes the staged copy`() {
        let plan = plan(.ended(.cancelled))
        #expect(plan.event?.kind == .cancelled)
        #expect(plan.removesStagedCopy && plan.onward == nil)
    }

    @Test func `failed keeps the staged copy, counts the attempt and tells error and state`() throws {
        let error = UploadError(.accessDenied, "no")
        let plan = plan(.ended(.failed(error, state: state)))
        let event = try #require(plan.event)
        #expect(event.kind == .failed)
        #expect(event.data.error == error)
        #expect(event.data.baton.state == state)
        #expect(event.data.baton.attempts == 2)
        #expect(event.data.baton.failures.map(\.code) == [.accessDenied])
        #expect(!plan.removesStagedCopy && plan.acknowledges && plan.onward == nil)
    }

    @Test func `an end belongs to the slice that it ended`() {
        let baton = baton()
        #expect(plan(.ended(.cancelled), of: baton).event?.id == "\(baton.job.id).1.2.4.cancelled")
    }

    @Test func `a hand-over raises the slice, goes to continued at once and is no attempt`() throws {
        let plan = plan(.handOver(state), report: SliceReport(bytesSent: 5, activeSeconds: 2, startedAt: now))
        let onward = try #require(plan.onward)
        #expect(onward.baton.slice == 5)
        #expect(onward.baton.generation == 2)
        #expect(onward.baton.attempts == 1)
        #expect(onward.baton.idleWaits == 0)
        #expect(onward.baton.state == state)
        #expect(onward.baton.bytesSent == 15)
        #expect(onward.baton.activeSeconds == 3)
        #expect(onward.baton.startedAt == now)
        #expect(onward.lane == .continued)
        #expect(onward.delay == nil)
        #expect(plan.event?.kind == .handedOver)
        #expect(plan.event?.data.baton.slice == 5)
        #expect(plan.acknowledges && !plan.removesStagedCopy)
    }

    @Test func `what was never started goes back to its own lane and keeps its waits`() throws {
        let onward = try #require(plan(.handOver(nil)).onward)
        #expect(onward.lane == .bulk)
        #expect(onward.baton.idleWaits == 3)
    }

    @Test func `a cancel baton stays urgent`() {
        let cancel = baton { $0.isCancel = true }
        #expect(plan(.handOver(state), of: cancel).onward?.lane == .urgent)
        #expect(plan(.wait(until: now, reason: .locked, state: nil), of: cancel).onward?.lane == .urgent)
    }

    @Test func `a retry counts the attempt, remembers the failure and sets the idle waits back`() throws {
        let error = UploadError(.networkFailure, "lost")
        let until = now.addingTimeInterval(30)
        let plan = plan(.wait(until: until, reason: .retry(error), state: state))
        let onward = try #require(plan.onward)
        #expect(onward.baton.attempts == 2)
        #expect(onward.baton.failures.count == 1)
        #expect(onward.baton.failures.first?.attempt == 2)
        #expect(onward.baton.idleWaits == 0)
        #expect(onward.delay == 30)
        #expect(onward.lane == .continued)
        #expect(plan.event?.kind == .waiting)
        #expect(plan.event?.data.error == error)
        #expect(plan.event?.data.waitingUntil == until)
    }

    @Test func `a job that only waited for too long, or for bytes that never came, has no failed attempt more`() throws
    {
        for code in UploadError.Code.allCodes {
            let plan = plan(.ended(.failed(UploadError(code, "it failed: enqueue it again"), state: nil)))
            let isAttempt = ![.expired, .destinationUnavailable, .sourceIncomplete].contains(code)
            let told = try #require(plan.event).data.baton
            #expect(told.attempts == (isAttempt ? 2 : 1), "\(code)")
            #expect(told.failures.count == (isAttempt ? 1 : 0), "\(code)")
        }
    }

    @Test func `only of a job whose copy was never complete, failing removes the copy`() {
        func removes(_ code: UploadError.Code) -> Bool {
            plan(.ended(.failed(UploadError(code, "it failed: enqueue it again"), state: nil))).removesStagedCopy
        }
        #expect(removes(.sourceIncomplete))
        #expect(UploadError.Code.allCodes.count(where: removes) == 1)
    }

    @Test(arguments: [
        WaitReason.unknownDestination, .unknownStagingArea, .unsupportedVersion, .locked, .copying, .cancelling,
        .limited(UploadError(.rateLimited, "a limit holds it up: wait")),
        .circuitOpen(UploadError(.serverFailure, "it keeps failing: look at it")),
        .notYet(UploadError(.unknown, "it is not done: wait", retry: .notYet(seconds: 5))), .paused, .scheduled,
    ])
    func `any other wait is no attempt and makes the next one longer`(_ reason: WaitReason) throws {
        let plan = plan(.wait(until: now.addingTimeInterval(10), reason: reason, state: nil))
        let onward = try #require(plan.onward)
        #expect(onward.baton.attempts == 1)
        #expect(onward.baton.failures.isEmpty)
        #expect(onward.baton.idleWaits == 4)
        #expect(onward.baton.slice == 5)
        #expect(onward.lane == .bulk)
        #expect(plan.event?.kind == (reason == .paused ? .paused : .waiting))
        #expect(plan.event?.data.reason == reason.label)
    }

    @Test func `a wait that is over already still takes the ladder's shortest step`() {
        let past = now.addingTimeInterval(-5)
        #expect(plan(.wait(until: past, reason: .locked, state: nil)).onward?.delay == 1)
    }

    @Test func `only the last failures travel`() throws {
        let error = UploadError(.serverFailure, "503")
        var current = baton { $0.attempts = 0 }
        for _ in 1...Baton.failureCountMaximum + 3 {
            current = try #require(plan(.wait(until: now, reason: .retry(error), state: nil), of: current).onward).baton
        }
        #expect(current.failures.count == Baton.failureCountMaximum)
        #expect(current.failures.last?.attempt == Baton.failureCountMaximum + 3)
    }

    @Test(arguments: [
        Settlement.ended(.cancelled), .ended(.completed(StoredObject(location: "/a"), response: nil)),
        .ended(.failed(UploadError(.rejected, "no"), state: nil)), .handOver(nil),
        .wait(
            until: Date(timeIntervalSince1970: 1_800_000_060), reason: .limited(UploadError(.rateLimited, "wait")),
            state: nil),
    ])
    func `events show neither inline bytes nor the query of a URL, batons keep both`(_ settlement: Settlement) throws {
        let plan = plan(settlement)
        let text = String(decoding: try WireJSON.encode(plan.event), as: UTF8.self)
        #expect(!text.contains("secret"))
        #expect(plan.event?.job.source == .inline(Data()))
        if let onward = plan.onward { #expect(onward.baton.job.source == .inline(Data([1, 2, 3]))) }
    }
}
