import Foundation
import Testing

@testable import UploadNotifier
@testable import Uploads

/// A ledger that keeps serial lines, tested through its port alone, beside a list with the expected order.
@Suite("Serial lines in a ledger", .timeLimit(.minutes(10)))
struct SerialLedgerTests {
    private static let lines = ["a", "b"].compactMap { try? QueueName($0) }

    /// A notifier that publishes markers to itself, remembers the batons that it issued, and may be killed between any two steps.
    fileprivate final class World {
        let scratch: Scratch
        var ledger: Ledger
        /// The owed publications.
        var owed: [OwedAction] = []
        var markers: [IssueMarker] = []
        /// Batons of jobs that have not ended yet, in the order of their issue.
        var running: [Baton] = []
        var issued: [JobID] = []
        /// Batons that only remove a copy.
        var tidied: [Baton] = []

        init() throws {
            scratch = try Scratch()
            ledger = try Ledger.open(path: scratch.file())
        }

        func record(_ messages: [NotifierMessage]) async throws {
            owed += try await ledger.record(messages, view: ControlView(), routes: [], now: Sample.start)
        }

        func carryOut(_ command: UploadOrder.Command) async throws -> OrderAnswer {
            let order = UploadOrder(command, by: "jo")
            while true {
                let step = try await ledger.carryOut(order, view: ControlView(), routes: [], now: Sample.start)
                owed += step.owed
                if let answer = step.answer { return answer }
            }
        }

        /// Kills the notifier, and starts another one with the same file.
        func crash() async throws {
            try ledger.close()
            ledger = try Ledger.open(path: scratch.file())
            owed = try await ledger.owed()
        }

        /// Publishes, and reads the markers, until nothing is left.
        func settle() async throws {
            while !owed.isEmpty || !markers.isEmpty {
                let now = owed
                owed = []
                for action in now {
                    switch action.action {
                    case .mark(let marker): markers.append(marker)
                    case .issue(let baton, _, _) where baton.onlyRemovesCopy: tidied.append(baton)
                    case .issue(let baton, _, let maybeRepeated):
                        if maybeRepeated {
                            try await record([.event(UploadEvent(kind: .suspect, of: baton, at: Sample.start))])
                        } else {
                            running.removeAll { $0.job.id == baton.job.id }
                            running.append(baton)
                            issued.append(baton.job.id)
                        }
                    default: break
                    }
                }
                ledger.settle(now.map(\.id))
                let read = markers
                markers = []
                if !read.isEmpty { try await record(read.map { .marker($0) }) }
            }
        }
    }

    private static func job(_ queue: QueueName, at place: SerialPosition = .end) -> UploadJob {
        var job = Sample.job()
        job.queue = queue
        job.serial = place
        return job
    }

    @Test func `one at a time, in the order of their coming`() async throws {
        let world = try World()
        let jobs = (0..<5).map { _ in Self.job(.standard) }
        try await world.record(jobs.map { .job($0, maybeRepeated: false) })
        for job in jobs {
            try await world.settle()
            #expect(world.running.map(\.job.id) == [job.id])
            let baton = try #require(world.running.last)
            world.running.removeLast()
            try await world.record([.event(UploadEvent(kind: .failed, of: baton, at: Sample.start))])
        }
        try await world.settle()
        #expect(world.issued == jobs.map(\.id))
    }

    @Test func `the whole order comes out of the line, and its redacted copy in listings`() async throws {
        let world = try World()
        let jobs = [Self.job(.standard), Self.job(.standard)]
        try await world.record(jobs.map { .job($0, maybeRepeated: false) })
        try await world.settle()
        try await world.record([.event(UploadEvent(kind: .completed, of: world.running[0], at: Sample.start))])
        try await world.settle()
        #expect(world.running.last?.job == jobs[1])
    }

    @Test func `the next is owed by the transaction that records the end`() async throws {
        let world = try World()
        let jobs = [Self.job(.standard), Self.job(.standard)]
        try await world.record(jobs.map { .job($0, maybeRepeated: false) })
        try await world.settle()
        let end = UploadEvent(kind: .completed, of: world.running[0], at: Sample.start)
        try await world.record([.event(end)])
        // None of it was published.
        try await world.crash()
        try await world.settle()
        #expect(world.issued == jobs.map(\.id))
        // An unacknowledged message that comes again changes nothing.
        try await world.record([.event(end)])
        try await world.settle()
        #expect(world.issued == jobs.map(\.id))
    }

    @Test func `several that run now keep their order`() async throws {
        let world = try World()
        let jobs = (0..<6).map { _ in Self.job(.standard) }
        try await world.record(jobs.map { .job($0, maybeRepeated: false) })
        let answer = try await world.carryOut(.jobs(.runNow, [jobs[4].id, jobs[3].id]))
        #expect(answer.done == 2)
        try await world.finishAll()
        #expect(world.issued == [0, 4, 3, 1, 2, 5].map { jobs[$0].id })
    }

    @Test func `several that move keep the order in which they are named`() async throws {
        let world = try World()
        let jobs = (0..<7).map { _ in Self.job(.standard) }
        try await world.record(jobs.map { .job($0, maybeRepeated: false) })
        let answer = try await world.carryOut(.move([jobs[6], jobs[1], jobs[0]].map(\.id) + [JobID()], .index(2)))
        #expect(answer.jobs.map(\.done) == [true, true, false, false])
        #expect(answer.jobs[2].reason?.contains("released already") == true)
        try await world.finishAll()
        #expect(world.issued == [0, 2, 3, 6, 1, 4, 5].map { jobs[$0].id })
    }

    @Test func `jobs move before and behind others of their line, and nowhere else`() async throws {
        let world = try World()
        let jobs = (0..<6).map { _ in Self.job(.standard) }
        let stranger = Self.job(Self.lines[0])
        try await world.record((jobs + [stranger]).map { .job($0, maybeRepeated: false) })
        let ids = jobs.map(\.id)
        #expect(try await world.carryOut(.move([ids[5], ids[4]], .before(ids[2]))).done == 2)  // 1 5 4 2 3
        #expect(try await world.carryOut(.move([ids[1]], .after(ids[3]))).done == 1)  // 5 4 2 3 1
        #expect(try await world.carryOut(.move([ids[3]], .after(ids[0]))).done == 1)  // 3 5 4 2 1
        let refused: [(JobID, LineTarget, String)] = [
            (ids[2], .before(ids[0]), "does not wait in the line"), (ids[2], .before(ids[2]), "beside itself"),
            (ids[2], .after(stranger.id), "does not belong"), (ids[2], .after(JobID()), "the ledger knows no job"),
            (ids[0], .before(ids[1]), "released already"),
        ]
        for (id, target, why) in refused {
            let answer = try await world.carryOut(.move([id], target))
            #expect(answer.done == 0 && answer.jobs.first?.reason?.contains(why) == true, "\(answer)")
        }
        _ = try await world.carryOut(.jobs(.cancel, [ids[5]]))
        let gone = try await world.carryOut(.move([ids[2]], .after(ids[5])))
        #expect(gone.jobs.first?.reason?.contains("has left the line") == true)
        try await world.finishAll()
        #expect(world.issued.filter { $0 != stranger.id && $0 != ids[5] } == [0, 3, 4, 2, 1].map { ids[$0] })
    }

    @Test func `a line is shown in its order, page by page, and a job knows its place`() async throws {
        let world = try World()
        let jobs = (0..<5).map { _ in Self.job(.standard) }
        try await world.record(jobs.map { .job($0, maybeRepeated: false) })
        try await world.settle()
        _ = try await world.carryOut(.move([jobs[4].id], .index(0)))
        let order = [4, 1, 2, 3].map { jobs[$0].id }
        let first = try await world.ledger.line(of: .standard, after: nil, limit: 2)
        #expect(first.entries.map(\.job.id) == [jobs[0].id] + order[..<2])
        #expect(first.entries.map(\.position) == [nil, 0, 1] && first.waiting == 4)
        let second = try await world.ledger.line(of: .standard, after: first.next, limit: 2)
        #expect(second.entries.map(\.job.id) == Array(order[2...]) && second.entries.map(\.position) == [2, 3])
        let last = try await world.ledger.line(of: .standard, after: second.next, limit: 2)
        #expect(last.entries.isEmpty && last.next == nil)
        #expect(
            try await world.ledger.place(of: jobs[1].id)
                == LinePlace(
                    position: 1, waiting: 4, behind: jobs[4].id, holder: jobs[0].id, holderStatus: .queued))
        #expect(try await world.ledger.place(of: jobs[4].id)?.behind == jobs[0].id)
        #expect(try await world.ledger.place(of: jobs[0].id) == LinePlace(position: nil, waiting: 4))
        #expect(try await world.ledger.place(of: JobID()) == nil)
    }

    @Test func `inserted one behind the other they stay together though the line moves on`() async throws {
        let world = try World()
        let jobs = (0..<3).map { _ in Self.job(.standard) }
        try await world.record(jobs.map { .job($0, maybeRepeated: false) })
        try await world.settle()
        let first = Self.job(.standard, at: SerialPosition(index: 0))
        let second = Self.job(.standard, at: SerialPosition(index: 1, after: first.id))
        try await world.record([.job(first, maybeRepeated: false)])
        // The head ends in between, and the first of the two is released.
        let head = try #require(world.running.last)
        world.running.removeLast()
        try await world.record([.event(UploadEvent(kind: .completed, of: head, at: Sample.start))])
        try await world.record([.job(second, maybeRepeated: false)])
        try await world.finishAll()
        #expect(world.issued == [jobs[0], first, second, jobs[1], jobs[2]].map(\.id))
    }

    @Test(arguments: 0..<40 as Range<UInt64>) func `whatever happens, the line is what a list would be`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let world = try World()
        /// For each line, the waiting jobs in order, and the released job.
        var waiting: [QueueName: [JobID]] = [:]
        var head: [QueueName: JobID] = [:]
        var known: [UploadJob] = []
        func release(_ queue: QueueName) {
            guard head[queue] == nil, let first = waiting[queue]?.first else { return }
            head[queue] = first
            waiting[queue]?.removeFirst()
        }
        func insert(_ job: JobID, _ queue: QueueName, _ index: Int?) {
            let count = waiting[queue]?.count ?? 0
            waiting[queue, default: []].insert(job, at: min(count, index ?? count))
            release(queue)
        }
        for _ in 0..<60 {
            let queue = Self.lines[Int.random(in: 0..<Self.lines.count, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                let index = Bool.random(using: &random) ? Int.random(in: 0..<5, using: &random) : nil
                let job = Self.job(queue, at: SerialPosition(index: index))
                known.append(job)
                try await world.record([.job(job, maybeRepeated: Bool.random(using: &random))])
                insert(job.id, queue, index)
            case 4:
                guard let job = known.randomElement(using: &random) else { continue }
                try await world.record([.job(job, maybeRepeated: true)])
            case 5:
                guard let job = waiting[queue]?.randomElement(using: &random) else { continue }
                let index = Int.random(in: 0..<5, using: &random)
                let answer = try await world.carryOut(.move([job], .index(index)))
                #expect(answer.done == 1)
                waiting[queue]?.removeAll { $0 == job }
                insert(job, queue, index)
            case 6:
                guard let job = waiting[queue]?.randomElement(using: &random) else { continue }
                _ = try await world.carryOut(.jobs(Bool.random(using: &random) ? .cancel : .runNow, [job]))
                let isCancelled = try await world.ledger.job(job)?.isCancelling == true
                waiting[queue]?.removeAll { $0 == job }
                if !isCancelled { insert(job, queue, 0) }
            case 7: try await world.crash()
            default:
                try await world.settle()
                guard let baton = world.running.filter({ $0.job.queue == queue }).randomElement(using: &random) else {
                    continue
                }
                let kind: EventKind = baton.isCancel ? .cancelled : Bool.random(using: &random) ? .completed : .failed
                world.running.removeAll { $0 == baton }
                try await world.record([.event(UploadEvent(kind: kind, of: baton, at: Sample.start))])
                if head[queue] == baton.job.id { head[queue] = nil }
                release(queue)
            }
            try await world.settle()
            for queue in Self.lines {
                let running = world.running.filter { $0.job.queue == queue && !$0.isCancel }.map(\.job.id)
                #expect(running == (head[queue].map { [$0] } ?? []))
                guard running == (head[queue].map { [$0] } ?? []) else { return }
            }
        }
        let left = Dictionary(
            uniqueKeysWithValues: Self.lines.map { queue in
                (queue, (head[queue].map { [$0] } ?? []) + (waiting[queue] ?? []))
            })
        world.issued = []
        let running = world.running.filter { !$0.isCancel }
        try await world.finishAll()
        for queue in Self.lines {
            let issued = world.issued.filter { id in known.contains { $0.id == id && $0.queue == queue } }
            let first = running.filter { $0.job.queue == queue }.map(\.job.id)
            #expect(first + issued == left[queue])
        }
    }
}

extension SerialLedgerTests.World {
    /// Lets everything complete.
    func finishAll() async throws {
        try await settle()
        while let baton = running.popLast() {
            let kind: EventKind = baton.isCancel ? .cancelled : .completed
            try await record([.event(UploadEvent(kind: kind, of: baton, at: Sample.start))])
            try await settle()
        }
    }
}
