import Foundation
import Testing
import Uploads

extension LedgerConformance {
    /// What the next notifier finds.
    static let restarting = [
        Rule("a restart finds everything, and what was owed is repeated with its flag and its whole order") { suite in
            let before = try await suite.make()
            let job = makeSecretJob()
            try await record([.job(job, maybeRepeated: false)], in: before)
            let marks = try await record([event(.suspect, job)], in: before)
            guard case .mark(let marker) = marks.first?.action else {
                Issue.record("a suspect is owed a marker")
                return
            }
            before.settle(marks.map(\.id))
            let issue = try await record([.marker(marker)], in: before)

            let after = try await suite.reopen(before)
            let owed = try await after.owed()
            #expect(owed.map(\.id) == issue.map(\.id))
            guard case .issue(let baton, let lane, let maybeRepeated) = owed.first?.action else {
                Issue.record("an issue is owed")
                return
            }
            #expect(maybeRepeated)
            #expect(lane == .normal)
            #expect(baton.job == job)
            #expect(baton.generation == 2)
            #expect(owed.last?.action == .append(.fence([job.id: 2])))
            #expect(try await after.job(job.id)?.generation == 2)
        },
        Rule("what was settled before a notifier ended in an orderly way is not repeated by the next one") { suite in
            let before = try await suite.make()
            let jobs = (0..<2).map { makeJob("\($0)") }
            let owed = try await record(jobs.map { event(.completed, $0) }, in: before)
            try #require(owed.count == 2)
            before.settle([owed[0].id])
            let after = try await suite.reopen(before)
            #expect(try await after.owed() == [owed[1]])
            #expect(try await after.status(of: "hook").backlog == 2)
        },
        Rule("what a worker found of an object is kept beside the whole order, and counted") { suite in
            let before = try await suite.make()
            var job = makeSecretJob()
            job.source = .object(.url("https://store.example/a?signature=hidden"), seen: nil)
            job.size = 0
            let seen = job.examined(as: StoredObject(location: "https://store.example/a", etag: "e", size: 70))
            try await record([.job(job, maybeRepeated: false)], in: before)
            // Once with another status and once with the same.
            try await record([event(.handedOver, seen.redacted, slice: 1)], in: before)

            let after = try await suite.reopen(before)
            let marks = try await record([event(.suspect, seen.redacted, slice: 1)], in: after)
            guard case .mark(let marker) = marks.first?.action,
                case .issue(let baton, _, _) = try await record([.marker(marker)], in: after).first?.action
            else {
                Issue.record("a suspect is marked and issued: \(marks)")
                return
            }
            #expect(baton.job == seen, "with its query, and with what was found")
            #expect(try await after.queues(throughputSince: start).map(\.bytesLeft) == [70])
        },
        Rule("a paused delegate keeps its backlog, across a restart, until it is served again") { suite in
            let before = try await suite.make()
            try await record([event(.completed, makeJob("a"))], in: before)
            try await before.pause("hook", reason: "gone", at: start, held: false)
            let ledger = try await suite.reopen(before)
            #expect(try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10).isEmpty)
            #expect(try await ledger.nextDue(for: "hook", ordered: false, excluding: []) == nil)
            #expect(
                try await ledger.status(of: "hook")
                    == DelegateStatus(delegate: "hook", backlog: 1, pausedSince: start, reason: "gone"))
            try await ledger.resume("hook", at: start)
            #expect(
                try await ledger.due(for: "hook", ordered: false, now: start, excluding: [], limit: 10).count == 1)
        },
    ]
}
