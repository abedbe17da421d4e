import Foundation
import Testing
import Uploads

extension LedgerConformance {
    /// Serial lines: places.
    static let placing = [
        Rule("a job enters its line so far from the front as it says, and at the end where fewer wait") { suite in
            for inOneBatch in [true, false] {
                let world = try await SerialLineWorld(suite)
                let places = [nil, 0, 5, 1, 2, 4]
                let jobs = places.map { SerialLineWorld.job(at: SerialPosition(index: $0)) }
                let head = SerialLineWorld.job()
                if inOneBatch {
                    try await world.record([head] + jobs)
                } else {
                    for job in [head] + jobs { try await world.record([job]) }
                }
                let waiting = try await world.waiting()
                #expect(waiting.map(\.job.id) == [1, 3, 4, 0, 5, 2].map { jobs[$0].id })
                #expect(waiting.map(\.position) == Array(0..<6))
            }
        },
        Rule("a job enters its line behind the one that it names, or at its index if that one is not in the line") {
            suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<4).map { _ in SerialLineWorld.job() }
            try await world.record(jobs)
            _ = try await world.carryOut(.jobs(.cancel, [jobs[2].id]))
            let places: [SerialPosition] = [
                SerialPosition(after: jobs[1].id),  // waits: 1 a 3
                SerialPosition(index: 1, after: JobID()),  // unknown: 1 b a 3
                SerialPosition(index: 0, after: jobs[2].id),  // cancelled: c 1 b a 3
                SerialPosition(after: JobID()),  // unknown: c 1 b a 3 d
                SerialPosition(index: 3, after: jobs[0].id),  // released: e c 1 b a 3 d
                SerialPosition(index: 0, after: jobs[3].id),  // waits: e c 1 b a 3 f d
            ]
            let others = places.map { SerialLineWorld.job(at: $0) }
            for job in others { try await world.record([job]) }
            let expected = [others[4], others[2], jobs[1], others[1], others[0], jobs[3], others[5], others[3]]
            #expect(try await world.waiting().map(\.job.id) == expected.map(\.id))
        },
        Rule("a job that names one of another line enters its own line at its index") { suite in
            let world = try await SerialLineWorld(suite)
            let away = (0..<2).map { _ in SerialLineWorld.job(QueueName(unchecked: "away")) }
            let jobs = (0..<3).map { _ in SerialLineWorld.job() }
            try await world.record(away + jobs)
            let waiting = SerialLineWorld.job(at: SerialPosition(index: 1, after: away[1].id))
            let released = SerialLineWorld.job(at: SerialPosition(index: 1, after: away[0].id))
            try await world.record([waiting])
            try await world.record([released])
            #expect(try await world.waiting().map(\.job.id) == [jobs[1], released, waiting, jobs[2]].map(\.id))
        },
        Rule("jobs that enter one behind the other stay together though the line moves on") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<3).map { _ in SerialLineWorld.job() }
            try await world.record(jobs)
            try await world.settle()
            let first = SerialLineWorld.job(at: SerialPosition(index: 0))
            let second = SerialLineWorld.job(at: SerialPosition(index: 1, after: first.id))
            try await world.record([first])
            // The head ends in between, and the first of the two is released.
            try await world.end(world.baton)
            try await world.record([second])
            try await world.finishAll()
            #expect(world.issued == [jobs[0], first, second, jobs[1], jobs[2]].map(\.id))
        },
        Rule("several jobs that move keep the order in which they are named") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<7).map { _ in SerialLineWorld.job() }
            try await world.record(jobs)
            let answer = try await world.carryOut(.move([jobs[6], jobs[1], jobs[0]].map(\.id) + [JobID()], .index(2)))
            try #require(answer.jobs.map(\.done) == [true, true, false, false])
            #expect(answer.jobs[2].reason?.contains("released already") == true)
            try await world.finishAll()
            #expect(world.issued == [0, 2, 3, 6, 1, 4, 5].map { jobs[$0].id })
        },
        Rule("jobs move before and behind others of their line, and nowhere else") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<6).map { _ in SerialLineWorld.job() }
            let stranger = SerialLineWorld.job(QueueName(unchecked: "a"))
            try await world.record(jobs + [stranger])
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
        },
        Rule("a line is shown in its order, page by page, and a job knows its place") { suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<5).map { _ in SerialLineWorld.job() }
            try await world.record(jobs)
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
        },
        Rule("after the loss of a ledger several jobs hold a line up, and are named in the order of their ids") {
            suite in
            let world = try await SerialLineWorld(suite)
            let jobs = (0..<4).map { _ in SerialLineWorld.job() }.sorted { $0.id.rawValue < $1.id.rawValue }
            for job in jobs.reversed() { try await world.record([event(.started, job)]) }
            let waiting = SerialLineWorld.job()
            try await world.record([waiting])
            try await world.crash()
            let line = try await world.ledger.line(of: .standard, after: nil, limit: 10)
            #expect(line.entries.map(\.job.id) == jobs.map(\.id) + [waiting.id])
            #expect(
                try await world.ledger.place(of: waiting.id)
                    == LinePlace(
                        position: 0, waiting: 1, behind: jobs[0].id, holder: jobs[0].id, holderStatus: .running))
        },
        Rule("hundreds of jobs find room at one place of a line, together and one by one, and keep their order") {
            suite in
            let world = try await SerialLineWorld(suite)
            let (head, anchor, tail) = (SerialLineWorld.job(), SerialLineWorld.job(), SerialLineWorld.job())
            try await world.record([head, anchor, tail])
            var middle: [JobID] = []
            func insert(_ count: Int, together: Bool, _ place: SerialPosition) async throws {
                let jobs = (0..<count).map { _ in SerialLineWorld.job(at: place) }
                if together {
                    try await world.record(jobs)
                } else {
                    for job in jobs { try await world.record([job]) }
                }
                middle.insert(contentsOf: jobs.map(\.id).reversed(), at: 0)
            }
            try await insert(150, together: true, SerialPosition(after: anchor.id))
            try await insert(50, together: false, SerialPosition(after: anchor.id))
            try await insert(150, together: true, SerialPosition(index: 1))
            try await insert(50, together: false, SerialPosition(index: 1))
            func expectOrder(_ expected: [JobID]) async throws {
                let waiting = try await world.waiting(limit: 64)
                #expect(waiting.map(\.job.id) == expected)
                #expect(waiting.map(\.position) == Array(0..<expected.count))
            }
            try await expectOrder([anchor.id] + middle + [tail.id])
            // As many jobs move to one place, by one order.
            let moving = Array(middle[100..<200].reversed())
            #expect(try await world.carryOut(.move(moving, .before(tail.id))).done == 100)
            let expected = [anchor.id] + middle[..<100] + middle[200...] + moving + [tail.id]
            try await expectOrder(expected)
            #expect(try await world.ledger.place(of: tail.id)?.position == 401)
            try await world.settle()
            for id in expected[..<3] {
                try await world.end(world.baton)
                try await world.settle()
                #expect(world.running.map(\.job.id) == [id])
            }
        },
    ]
}
