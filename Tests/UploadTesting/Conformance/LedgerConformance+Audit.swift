import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let auditing = [
        Rule("an order is in the record of each job that has obeyed it, and once in the audit log, with its result") {
            suite in
            let ledger = try await suite.make()
            let jobs = try await recordJobs(2, in: ledger)
            let stranger = JobID()
            let pause = order(.jobs(.pause, jobs.map(\.id) + [stranger]))
            _ = try await carryOut(pause, in: ledger)
            _ = try await carryOut(pause, in: ledger)
            for job in jobs {
                #expect(
                    try await ledger.job(job.id)?.orders == [JobOrder(verb: "pause", by: "jo@here", at: start)])
            }
            let entry = try #require(try await ledger.audit(AuditListing()).first?.entry)
            #expect(entry.order == pause.id && entry.by == "jo@here" && entry.verb == "pause" && entry.at == start)
            #expect(entry.subject == "3 jobs" && entry.job == nil && entry.matched == 3 && entry.done == 2)
            #expect(entry.reason?.contains("knows no job \(stranger)") == true)
            _ = try await carryOut(order(.jobs(.resume, [jobs[0].id])), in: ledger)
            #expect(try await ledger.job(jobs[0].id)?.orders.map(\.verb) == ["pause", "resume"])
            let listed = try await ledger.audit(AuditListing())
            #expect(listed.map(\.entry.verb) == ["resume", "pause"], "the newest first")
            #expect(listed.first?.entry.job == jobs[0].id && listed.first?.entry.reason == nil)
        },
        Rule("an order that was refused because too many match, and one about a filter, are in the audit log in words")
        { suite in
            let ledger = try await suite.make()
            _ = try await recordJobs(3, in: ledger)
            let filter = OrderFilter(queue: .standard, destination: "photos", batch: "holiday", statuses: [.queued])
            _ = try await carryOut(order(.matching(.cancel, OrderFilter(), atMost: 2)), in: ledger)
            _ = try await carryOut(order(.matching(.pause, filter, atMost: 2)), in: ledger)
            let entries = try await ledger.audit(AuditListing()).map(\.entry)
            #expect(entries.last?.done == 0 && entries.last?.matched == 3 && entries.last?.reason != nil)
            #expect(entries.first?.subject == "queued jobs in queue default to destination photos of batch holiday")
            #expect(entries.first?.matched == 0 && entries.first?.done == 0 && entries.first?.reason == nil)
        },
        Rule(
            "a job keeps the last orders alone, and none once it is forgotten; the log does not name a forgotten batch"
        ) { suite in
            let ledger = try await suite.make()
            let job = try await recordJobs(1, in: ledger)[0]
            for _ in 0...JobOrder.countMaximum / 2 {
                _ = try await carryOut(order(.jobs(.pause, [job.id])), in: ledger)
                _ = try await carryOut(order(.jobs(.resume, [job.id])), in: ledger)
            }
            let orders = try #require(try await ledger.job(job.id)?.orders)
            #expect(orders.count == JobOrder.countMaximum && orders.last?.verb == "resume")
            let owed = try await record([event(.completed, job)], in: ledger, routes: [])
            ledger.settle(owed.map(\.id))
            ledger.settle(try await ledger.owed().map(\.id))
            let filter = OrderFilter(queue: .standard, batch: "secret")
            _ = try await carryOut(order(.matching(.forget, filter, atMost: nil)), in: ledger)
            let forgetting = order(.jobs(.forget, [job.id]))
            let (answer, _) = try await carryOut(forgetting, in: ledger)
            #expect(answer.done == 1, "\(answer.jobs)")
            #expect(try await ledger.job(job.id)?.orders == [])
            #expect(try await ledger.audit(AuditListing(verb: "forget")).count == 2)
            #expect(try await !ledger.audit(AuditListing()).contains { $0.entry.subject.contains("secret") })
        },
        Rule("the parts of an order by shards are one entry with the sum of their numbers") { suite in
            let ledger = try await suite.make()
            let jobs = try await recordJobs(12, in: ledger)
            let whole = order(.jobs(.pause, jobs.map(\.id)))
            let shards = try #require(Shards(16))
            for shard in whole.shards(of: shards) {
                _ = try await carryOut(try #require(whole.part(shard, of: shards)), in: ledger)
            }
            let entries = try await ledger.audit(AuditListing()).map(\.entry)
            #expect(entries.count == 1 && entries.first?.order == whole.id)
            #expect(entries.first?.matched == 12 && entries.first?.done == 12)
        },
        Rule("what is not an order of the ledger's is noted before it is done, and its result afterwards") { suite in
            let ledger = try await suite.make()
            var entry = AuditEntry(
                at: start, by: "jo from 203.0.113.7", verb: "delegate.pause", subject: "delegate \"hooks\"\0")
            try await ledger.note(entry)
            #expect(try await ledger.audit(AuditListing()).first?.entry.done == nil)
            entry.done = 0
            entry.reason = "no"
            try await ledger.note(entry)
            let noted = try #require(try await ledger.audit(AuditListing()).first?.entry)
            #expect(noted.done == 0 && noted.matched == 1 && noted.reason == "no" && noted.by == entry.by)
            #expect(try await ledger.audit(AuditListing()).count == 1)
            entry.done = nil
            try await ledger.note(entry)
            #expect(try await ledger.audit(AuditListing()).first?.entry.done == 0, "a result is never unknown again")
        },
        Rule("the audit log is listed by name, verb and time, page by page, and is removed by age") { suite in
            let ledger = try await suite.make()
            for index in 0..<5 {
                try await ledger.note(
                    AuditEntry(
                        at: start + Double(index), by: index == 2 ? "Ada from ::1" : "jo", verb: index < 3 ? "a" : "b",
                        subject: "\(index)", done: 1))
            }
            func subjects(_ listing: AuditListing) async throws -> [String] {
                try await ledger.audit(listing).map(\.entry.subject)
            }
            #expect(try await subjects(AuditListing(by: "ada FROM")) == ["2"])
            #expect(try await subjects(AuditListing(by: "%")) == [])
            #expect(try await subjects(AuditListing(verb: "b")) == ["4", "3"])
            #expect(try await subjects(AuditListing(since: start + 1, until: start + 3)) == ["2", "1"])
            let first = try await ledger.audit(AuditListing(limit: 2))
            #expect(first.map(\.entry.subject) == ["4", "3"])
            #expect(try await subjects(AuditListing(before: first.last?.id, limit: 2)) == ["2", "1"])
            try await ledger.pruneAudit(before: start + 3)
            #expect(try await subjects(AuditListing()) == ["4", "3"])
        },
    ]
}
