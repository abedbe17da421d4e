import Foundation
import Testing

@testable import Uploads

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
        #expect(ControlView().validity(of: baton(1)) == .holds)
    }

    @Test func `generations below the fence are superseded, the fence's own holds`() {
        let view = view(.fence([job.id: 3]))
        #expect(view.validity(of: baton(2)) == .superseded)
        #expect(view.validity(of: baton(3)) == .holds)
        #expect(view.validity(of: baton(4)) == .holds)
    }

    @Test func `the highest fence holds whatever the order`() {
        #expect(view(.fence([job.id: 5]), .fence([job.id: 2])).fence(of: job.id) == 5)
        #expect(view(.fence([job.id: 2]), .fence([job.id: 5])).fence(of: job.id) == 5)
    }

    @Test func `the highest term has the namespace, within it the ledger that came first, with its latest opening`() {
        let (one, two) = (UUID(), UUID())
        func claim(_ ledger: UUID, _ term: Int) -> LedgerClaim {
            LedgerClaim(ledger: ledger, term: term, opening: UUID())
        }
        func last(_ claims: LedgerClaim...) -> LedgerClaim? {
            claims.reduce(into: ControlView()) { $0.apply(.ledger($1)) }.ledger
        }
        let (first, again, adopted) = (claim(one, 1), claim(one, 1), claim(two, 2))
        #expect(ControlView().ledger == nil)
        #expect(last(first, claim(two, 1)) == first)
        #expect(last(first, claim(two, 1), again) == again)
        #expect(last(first, adopted) == adopted)
        #expect(last(adopted, first, claim(one, 2)) == adopted)
    }

    @Test func `a pause holds up to and including its generation, and not for cancelling`() {
        let view = view(.pause([job.id: 2]))
        #expect(view.validity(of: baton(1)) == .paused)
        #expect(view.validity(of: baton(2)) == .paused)
        #expect(view.validity(of: baton(3)) == .holds)
        #expect(view.validity(of: baton(2, isCancel: true)) == .holds)
    }

    @Test func `superseded outranks paused`() {
        #expect(view(.pause([job.id: 2]), .fence([job.id: 3])).validity(of: baton(2)) == .superseded)
    }

    @Test func `a lifted pause no longer holds, a later one holds again`() {
        #expect(view(.pause([job.id: 2]), .lift([job.id])).validity(of: baton(1)) == .holds)
        #expect(view(.pause([job.id: 2]), .lift([job.id]), .pause([job.id: 1])).validity(of: baton(1)) == .paused)
    }

    @Test func `queues stop and start`() {
        #expect(view(.queueStopped(.standard)).stoppedQueues == [.standard])
        #expect(view(.queueStopped(.standard), .queueStarted(.standard)).stoppedQueues.isEmpty)
    }

    @Test(arguments: [
        ControlEntry.fence([JobID(): 3]), .pause([JobID(): 1]), .lift([JobID(), JobID()]), .queueStopped(.standard),
        .queueStarted(.standard), .marker(UUID()), .forget([JobID(): 3]), .snapshotBegins(UUID()),
        .snapshot(SnapshotPiece(of: UUID(), number: 1, count: 1)), .fence([JobID(): WireLimits.countMaximum]),
        .workerDrained("host/1-a"), .workerResumed("host/1-a"),
    ])
    func `every entry survives its wire form`(_ entry: ControlEntry) throws {
        #expect(try WireJSON.decode(ControlEntry.self, from: WireJSON.encode(entry)) == entry)
    }

    @Test func `a piece with fences, pauses, stopped queues and drained workers survives its wire form`() throws {
        let view = view(
            .fence([job.id: 2, JobID(): 9]), .pause([job.id: 2]), .queueStopped(.standard), .workerDrained("b"),
            .workerDrained("a"))
        let pieces = Array(view.snapshot(UUID()))
        #expect(pieces.count == 1)
        #expect(pieces[0].fences.count == 2 && pieces[0].pauses == [job.id: 2])
        #expect(pieces[0].drainedWorkers == ["b", "a"])
        let entry = ControlEntry.snapshot(pieces[0])
        #expect(try WireJSON.decode(ControlEntry.self, from: WireJSON.encode(entry)) == entry)
    }

    @Test(arguments: [
        #"{"kind": "fence", "generations": {"ID": 0}}"#, #"{"kind": "pause", "generations": {"ID": -1}}"#,
        #"{"kind": "fence", "generations": {"ID": 1000000001}}"#,
        #"{"kind": "forget", "generations": {"ID": 9223372036854775807}}"#,
        #"{"kind": "snapshot", "id": "ID", "piece": 0, "pieces": 1, "fences": {}, "pauses": {}, "stoppedQueues": []}"#,
        #"{"kind": "snapshot", "id": "ID", "piece": 3, "pieces": 2, "fences": {}, "pauses": {}, "stoppedQueues": []}"#,
        #"{"kind": "snapshot", "id": "ID", "piece": 1, "pieces": 0, "fences": {}, "pauses": {}, "stoppedQueues": []}"#,
        #"{"kind": "snapshot", "id": "ID", "piece": 1, "pieces": 100001, "fences": {}, "pauses": {}, "stoppedQueues": []}"#,
        #"{"kind": "snapshot", "id": "ID", "piece": 1, "pieces": 1, "fences": {"ID": 0}, "pauses": {}, "stoppedQueues": []}"#,
    ])
    func `numbers out of bounds are unreadable`(_ text: String) {
        let body = Data(text.replacing("ID", with: job.id.rawValue).utf8)
        #expect(throws: DecodingError.self) { try WireJSON.decode(ControlEntry.self, from: body) }
    }

    @Test(arguments: [
        #"{"kind": "workerDrained"}"#, #"{"kind": "workerDrained", "worker": ""}"#,
        #"{"kind": "workerResumed", "worker": "LONG"}"#,
        #"{"kind": "snapshot", "id": "ID", "piece": 1, "pieces": 1, "fences": {}, "pauses": {}, "stoppedQueues": [], "drainedWorkers": [""]}"#,
        #"{"kind": "snapshot", "id": "ID", "piece": 1, "pieces": 1, "fences": {}, "pauses": {}, "stoppedQueues": [], "drainedWorkers": MANY}"#,
    ])
    func `names of workers out of bounds are unreadable`(_ text: String) {
        let long = String(repeating: "w", count: WorkerReport.textBytesMaximum + 1)
        let many = "[" + Array(repeating: "\"w\"", count: SnapshotPiece.workersMaximum + 1).joined(separator: ",") + "]"
        let body = Data(
            text.replacing("ID", with: job.id.rawValue).replacing("LONG", with: long).replacing("MANY", with: many).utf8
        )
        #expect(throws: DecodingError.self) { try WireJSON.decode(ControlEntry.self, from: body) }
    }

    @Test func `an entry that names too many jobs is written in parts, and not at all as it is`() throws {
        let jobs = (0..<2500).map { _ in JobID() }
        let generations = Dictionary(uniqueKeysWithValues: jobs.map { ($0, 3) })
        for entry in [ControlEntry.fence(generations), .pause(generations), .forget(generations), .lift(jobs)] {
            #expect(throws: EncodingError.self) { try WireJSON.encode(entry) }
            let parts = entry.parts
            #expect(parts.count == 3)
            var (whole, joined) = (ControlView(), ControlView())
            for view in [ControlEntry.fence(generations), .pause(generations)] {
                whole.apply(view)
                joined.apply(view)
            }
            whole.apply(entry)
            for part in parts {
                joined.apply(part)
                #expect(try WireJSON.encode(part).count < 100_000)
            }
            #expect(joined == whole)
        }
        // As another program may write it.
        let list = jobs.map { "\"\($0)\"" }.joined(separator: ",")
        let body = Data(#"{"kind": "lift", "jobs": [\#(list)]}"#.utf8)
        #expect(throws: DecodingError.self) { try WireJSON.decode(ControlEntry.self, from: body) }
    }

    @Test func `no number makes the fold trap`() {
        let view = view(
            .fence([job.id: .max]), .pause([job.id: .max]), .forget([job.id: .min]), .fence([job.id: .min]),
            .lift([job.id]), .forget([job.id: .max]))
        #expect(view == ControlView())
    }

    @Test func `jobs and generations are the same as in a dictionary`() {
        var random = SeededGenerator(seed: 11)
        var jobs = (0..<600).map { _ in JobID(now: Date(timeIntervalSince1970: 1), using: &random) }
        jobs.append(JobID("ffffffff-ffff-ffff-ffff-ffffffffffff")!)
        jobs.append(JobID("00000000-0000-0000-0000-000000000000")!)
        var (map, model) = (JobGenerations(), [JobID: Int]())
        for _ in 0..<6000 {
            let job = jobs.randomElement(using: &random)!
            let generation: Int? = Bool.random(using: &random) ? Int.random(in: 1...9, using: &random) : nil
            let copy = map
            map[job] = generation
            #expect(copy[job] == model[job])
            model[job] = generation
            #expect(map[job] == generation && map.count == model.count)
        }
        #expect(Dictionary(uniqueKeysWithValues: map.map { ($0.job, $0.generation) }) == model)
        for job in jobs { map[job] = nil }
        #expect(map == [:] && map.isEmpty)
    }
}

@Suite struct DrainedWorkerTests {
    private let baton = Baton(job: UploadJob(source: .inline(Data()), destination: .url("https://a.test/"), size: 0))

    private func view(_ entries: ControlEntry...) -> ControlView {
        entries.reduce(into: ControlView()) { $0.apply($1) }
    }

    @Test func `at a drained worker only a cancellation holds, and other workers do not notice`() {
        let view = view(.workerDrained("a"))
        #expect(view.validity(of: baton, at: "a") == .stopped)
        #expect(view.validity(of: baton, at: "b") == .holds && view.validity(of: baton) == .holds)
        var cancel = baton
        cancel.isCancel = true
        #expect(view.validity(of: cancel, at: "a") == .holds)
    }

    @Test func `a fence or a pause counts before a drain`() {
        #expect(view(.workerDrained("a"), .pause([baton.job.id: 1])).validity(of: baton, at: "a") == .paused)
        #expect(view(.workerDrained("a"), .fence([baton.job.id: 2])).validity(of: baton, at: "a") == .superseded)
    }

    @Test func `the last of drain and resume holds, and what comes twice counts once`() {
        #expect(view(.workerDrained("a"), .workerDrained("a")).drainedWorkers.names == ["a"])
        #expect(view(.workerDrained("a"), .workerDrained("a"), .workerResumed("a")) == ControlView())
        #expect(view(.workerResumed("a"), .workerResumed("a")) == ControlView())
        #expect(view(.workerResumed("a"), .workerDrained("a")).drainedWorkers.contains("a"))
    }

    @Test func `the oldest is forgotten when there are too many, and a worker that is drained again keeps its place`() {
        var view = ControlView()
        for number in 0..<DrainedWorkers.countMaximum { view.apply(.workerDrained("w\(number)")) }
        view.apply(.workerDrained("w0"))
        view.apply(.workerResumed("w1"))
        view.apply(.workerDrained("w1"))
        #expect(view.drainedWorkers.names.count == DrainedWorkers.countMaximum)
        view.apply(.workerDrained("new"))
        #expect(view.drainedWorkers.names.count == DrainedWorkers.countMaximum)
        #expect(!view.drainedWorkers.contains("w0") && view.drainedWorkers.names.first == "w2")
        #expect(view.drainedWorkers.names.suffix(2) == ["w1", "new"])
    }
}

@Suite struct StoppedQueueTests {
    @Test func `a stopped queue holds what is not cancelled, and a fence or a pause counts first`() {
        var view = ControlView()
        var baton = Baton(job: UploadJob(source: .inline(Data()), destination: .url("https://a.test/"), size: 0))
        view.apply(.queueStopped(.standard))
        #expect(view.validity(of: baton) == .stopped)
        baton.isCancel = true
        #expect(view.validity(of: baton) == .holds)
        baton.isCancel = false
        view.apply(.pause([baton.job.id: 1]))
        #expect(view.validity(of: baton) == .paused)
        view.apply(.lift([baton.job.id]))
        view.apply(.queueStarted(.standard))
        #expect(view.validity(of: baton) == .holds)
    }
}
