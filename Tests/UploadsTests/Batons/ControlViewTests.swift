import Foundation
import Testing
import Uploads

@Suite struct ControlViewTests {
    let job = UploadJob(source: .inline(Data()), destination: .url("https://example.test/a"), size: 0)

    private func baton(_ generation: Int, isCancel: Bool = false) -> Baton {
        var baton = Baton(job: job, generation: generation)
        baton.isCancel = isCancel
        return baton
    }

    private func view(_ entries: ControlEntry...) -> ControlView {
        entries.reduce(into: ControlView()) { $0.apply($1) }
    }

    @Test func `what is forgotten counts from 1 again, but a later fence or pause stays`() {
        let other = JobID()
        let view = view(
            .fence([job.id: 3, other: 5]), .pause([job.id: 3, other: 5]), .forget([job.id: 3, other: 4, JobID(): 9]))
        #expect(view.fences == [other: 5])
        #expect(view.pauses == [other: 5])
        #expect(view.fence(of: job.id) == 1)
    }

    @Test func `a job that the log does not mention counts from generation 1`() {
        #expect(ControlView().fence(of: job.id) == 1)
        #expect(ControlView().standing(of: baton(1)) == .holds)
    }

    @Test func `generations below the fence are superseded, the fence's own holds`() {
        let view = view(.fence([job.id: 3]))
        #expect(view.standing(of: baton(2)) == .superseded)
        #expect(view.standing(of: baton(3)) == .holds)
        #expect(view.standing(of: baton(4)) == .holds)
    }

    @Test func `the highest fence holds whatever the order`() {
        #expect(view(.fence([job.id: 5]), .fence([job.id: 2])).fence(of: job.id) == 5)
        #expect(view(.fence([job.id: 2]), .fence([job.id: 5])).fence(of: job.id) == 5)
    }

    @Test func `a pause holds up to and including its generation, and not for cancelling`() {
        let view = view(.pause([job.id: 2]))
        #expect(view.standing(of: baton(1)) == .paused)
        #expect(view.standing(of: baton(2)) == .paused)
        #expect(view.standing(of: baton(3)) == .holds)
        #expect(view.standing(of: baton(2, isCancel: true)) == .holds)
    }

    @Test func `superseded outranks paused`() {
        #expect(view(.pause([job.id: 2]), .fence([job.id: 3])).standing(of: baton(2)) == .superseded)
    }

    @Test func `a lifted pause no longer holds, a later one holds again`() {
        #expect(view(.pause([job.id: 2]), .lift([job.id])).standing(of: baton(1)) == .holds)
        #expect(view(.pause([job.id: 2]), .lift([job.id]), .pause([job.id: 1])).standing(of: baton(1)) == .paused)
    }

    @Test func `queues stop and start`() {
        #expect(view(.queueStopped(.standard)).stoppedQueues == [.standard])
        #expect(view(.queueStopped(.standard), .queueStarted(.standard)).stoppedQueues.isEmpty)
    }

    @Test func `a reader that begins at a snapshot knows what a reader from the first entry knows`() {
        let entries: [ControlEntry] = [
            .fence([job.id: 2]), .pause([JobID(): 4]), .queueStopped(.standard), .lift([job.id]), .marker(UUID()),
        ]
        let whole = entries.reduce(into: ControlView()) { $0.apply($1) }
        #expect(view(.snapshot(whole)) == whole)
    }

    @Test func `a snapshot never lowers a fence and replaces pauses`() {
        let other = JobID()
        var old = ControlView()
        old.apply(.fence([job.id: 2]))
        let view = view(.fence([job.id: 7]), .pause([other: 1]), .snapshot(old))
        #expect(view.fence(of: job.id) == 7)
        #expect(view.pauses.isEmpty)
    }

    @Test(arguments: [
        ControlEntry.fence([JobID(): 3]), .pause([JobID(): 1]), .lift([JobID(), JobID()]), .queueStopped(.standard),
        .queueStarted(.standard), .marker(UUID()), .snapshot(ControlView()), .forget([JobID(): 3]),
    ])
    func `every entry survives its wire form`(_ entry: ControlEntry) throws {
        #expect(try WireJSON.decode(ControlEntry.self, from: WireJSON.encode(entry)) == entry)
    }

    @Test func `a snapshot with fences, pauses and stopped queues survives its wire form`() throws {
        let full = ControlEntry.snapshot(
            view(.fence([job.id: 2, JobID(): 9]), .pause([job.id: 2]), .queueStopped(.standard)))
        #expect(try WireJSON.decode(ControlEntry.self, from: WireJSON.encode(full)) == full)
    }
}

@Suite struct StoppedQueueTests {
    @Test func `a stopped queue holds what is not cancelled, and a fence or a pause counts first`() {
        var view = ControlView()
        var baton = Baton(job: UploadJob(source: .inline(Data()), destination: .url("https://a.test/"), size: 0))
        view.apply(.queueStopped(.standard))
        #expect(view.standing(of: baton) == .stopped)
        baton.isCancel = true
        #expect(view.standing(of: baton) == .holds)
        baton.isCancel = false
        view.apply(.pause([baton.job.id: 1]))
        #expect(view.standing(of: baton) == .paused)
        view.apply(.lift([baton.job.id]))
        view.apply(.queueStarted(.standard))
        #expect(view.standing(of: baton) == .holds)
    }
}
