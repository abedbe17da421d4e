import Foundation
import Testing
import Uploads

extension LedgerConformance {
    /// Serial lines: whose turn it is.
    static let lining = [
        Rule("the jobs of a line run one at a time, in the order of their coming, in whatever way each one ends") {
            suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<6).map { _ in SerialLineWorld.job() }
            let kinds: [EventKind] = [.failed, .completed, .cancelled, .completed, .cancelled, .failed]
            try await world.record(jobs)
            for (job, kind) in zip(jobs, kinds) {
                try await world.settle()
                #expect(world.running.map(\.job.id) == [job.id])
                try await world.end(world.baton, kind)
            }
            try await world.settle()
            #expect(world.issued == jobs.map(\.id))
            let line = try await world.ledger.line(of: .standard, after: nil, limit: 10)
            #expect(line == LinePage(entries: [], waiting: 0, next: nil))
        },
        Rule("a job that comes when its line has come to its end runs at once") { suite in
            let world = try await SerialLineWorld(suite)
            try await world.record([SerialLineWorld.job()])
            try await world.finishAll()
            let next = SerialLineWorld.job()
            try await world.record([next])
            try await world.settle()
            #expect(world.running.map(\.job) == [next])
        },
        Rule("the lines of two queues do not wait for each other, and jobs of no line wait for none") { suite in
            let world = try await SerialLineWorld(suite)
            let other = QueueName(unchecked: "other")
            let jobs = [SerialLineWorld.job(), SerialLineWorld.job(), SerialLineWorld.job(other), makeSecretJob()]
            try await world.record(jobs)
            try await world.settle()
            #expect(world.running.map(\.job.id) == [jobs[0].id, jobs[2].id])
            try await world.record([event(.started, jobs[3]), event(.completed, jobs[3])])
            try await world.settle()
            #expect(world.issued == [jobs[0].id, jobs[2].id])
            try await world.end(world.baton)
            try await world.settle()
            #expect(world.issued == [jobs[0].id, jobs[2].id])
            #expect(try await world.ledger.place(of: jobs[1].id)?.holder == jobs[0].id)
        },
        Rule("the whole order comes out of the line, and its redacted copy in listings") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = [SerialLineWorld.job(), SerialLineWorld.job()]
            try await world.record(jobs)
            try await world.settle()
            #expect(
                try await world.ledger.line(of: .standard, after: nil, limit: 9).entries.map(\.job.baton.job)
                    == jobs.map(\.redacted))
            try await world.end(world.baton)
            try await world.settle()
            #expect(world.running.map(\.job) == [jobs[1]])
        },
        Rule("the next in line is owed by the transaction that records the end, also across a restart") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = [SerialLineWorld.job(), SerialLineWorld.job()]
            try await world.record(jobs)
            try await world.settle()
            let end = try UploadEvent(kind: .completed, of: world.baton, at: start)
            try await world.record([.event(end)])
            // None of it was published.
            try await world.crash()
            try await world.settle()
            #expect(world.issued == jobs.map(\.id))
            // An unacknowledged message that comes again changes nothing.
            try await world.record([.event(end)])
            try await world.settle()
            #expect(world.issued == jobs.map(\.id))
        },
        Rule("several jobs that run now keep their order, ahead of the line") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<6).map { _ in SerialLineWorld.job() }
            try await world.record(jobs)
            let answer = try await world.carryOut(.jobs(.runNow, [jobs[4].id, jobs[3].id]))
            #expect(answer.done == 2)
            try await world.finishAll()
            #expect(world.issued == [0, 4, 3, 1, 2, 5].map { jobs[$0].id })
        },
        Rule("cancelled jobs leave the line, and the others keep their order") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<6).map { _ in SerialLineWorld.job() }
            try await world.record(jobs)
            try await world.settle()
            #expect(try await world.carryOut(.jobs(.cancel, [1, 3, 5].map { jobs[$0].id })).done == 3)
            let line = try await world.ledger.line(of: .standard, after: nil, limit: 10)
            #expect(line.entries.map(\.job.id) == [0, 2, 4].map { jobs[$0].id })
            #expect(line.entries.map(\.position) == [nil, 0, 1] && line.waiting == 2)
            for index in [1, 3, 5] {
                #expect(try await world.ledger.place(of: jobs[index].id) == nil)
                #expect(try await world.ledger.job(jobs[index].id)?.status == .cancelled)
            }
            #expect(
                try await world.ledger.place(of: jobs[4].id)
                    == LinePlace(
                        position: 1, waiting: 2, behind: jobs[2].id, holder: jobs[0].id, holderStatus: .queued))
            try await world.finishAll()
            #expect(world.issued == [0, 2, 4].map { jobs[$0].id })
        },
        Rule("a paused job keeps its place, and holds the line up from its turn on until it is resumed") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<3).map { _ in SerialLineWorld.job() }
            try await world.record(jobs)
            try await world.settle()
            #expect(try await world.carryOut(.jobs(.pause, [jobs[1].id])).done == 1)
            #expect(try await world.ledger.place(of: jobs[1].id)?.position == 0)
            #expect(try await world.ledger.job(jobs[1].id)?.status == .paused)
            try await world.end(world.baton)
            try await world.settle()
            // Its baton carries the pause.
            #expect(world.issued == [jobs[0].id, jobs[1].id])
            #expect(try await world.ledger.job(jobs[1].id)?.isPaused == true)
            #expect(try await world.ledger.place(of: jobs[2].id)?.holder == jobs[1].id)
            #expect(try await world.carryOut(.jobs(.resume, [jobs[1].id])).done == 1)
            try await world.settle()
            #expect(world.issued == [0, 1, 1].map { jobs[$0].id })
            #expect(try await world.ledger.job(jobs[1].id)?.isPaused == false)
            try await world.finishAll()
            #expect(world.issued == [0, 1, 1, 2].map { jobs[$0].id })
        },
        Rule("a job that runs again waits at the end of its line") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<3).map { _ in SerialLineWorld.job() }
            try await world.record(jobs)
            try await world.settle()
            try await world.end(world.baton, .failed)
            #expect(try await world.carryOut(.jobs(.runAgain, [jobs[0].id])).jobs.map(\.round) == [2])
            #expect(try await world.waiting().map(\.job.id) == [jobs[2].id, jobs[0].id])
            try await world.finishAll()
            #expect(world.issued == [0, 1, 2, 0].map { jobs[$0].id })
            #expect(try await world.ledger.job(jobs[0].id)?.round == 2)
        },
    ]
}
