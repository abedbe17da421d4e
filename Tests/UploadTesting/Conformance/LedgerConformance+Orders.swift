import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let ordering = [
        Rule("a job that is cancelled while it waits in line ends in the transaction that records the order") { suite in
            let ledger = try await suite.make()
            var jobs = (0..<3).map { makeJob("\($0)", after: Double($0)) }
            for index in jobs.indices { jobs[index].serial = .end }
            jobs[1].client = "app"
            try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
            let order = UploadOrder(.jobs(.cancel, [jobs[1].id]), by: "jo", at: start)
            let routes = [DeliveryRoute(delegate: "hook")]
            let step = try await ledger.carryOut(order, view: ControlView(), routes: routes, now: start + 5)
            #expect(step.answer?.done == 1)
            let ended = try #require(try await ledger.job(jobs[1].id))
            let end = try #require(ended.end)
            #expect(end.kind == .cancelled && end.at == start + 5)
            #expect(ended.line == nil)
            #expect(try await ledger.events(of: jobs[1].id).map(\.kind) == [.cancelled])
            let due = try await ledger.due(for: "hook", ordered: false, now: start + 5, excluding: [], limit: 10)
            #expect(due.map(\.event.id) == ["\(jobs[1].id).1.ended"])
            #expect(try await ledger.status(of: "client-app").backlog == 1, "its own app is told as well")
            // The ledger owes both until they are published, the end first. After a crash the end is repeated, and the order to
            // remove the copy goes to a worker, which may get it twice.
            let owed = try await ledger.owed().filter { $0.job == jobs[1].id }.map(\.action)
            guard owed.count == 3, case .outcome = owed[0], case .issue(let baton, .urgent, true) = owed[1] else {
                Issue.record("an end, a baton and a fence are owed, not \(owed)")
                return
            }
            #expect(baton.onlyRemovesCopy && baton.job == jobs[1])
            #expect(owed[2] == .append(.fence([jobs[1].id: 2])))
            // The serial line is the same without the job; a repeated order changes nothing.
            #expect(
                try await ledger.line(of: .standard, after: nil, limit: 9).entries.map(\.job.id)
                    == [0, 2].map { jobs[$0].id })
            let again = try await ledger.carryOut(order, view: ControlView(), routes: routes, now: start + 6)
            #expect(again.owed.isEmpty && again.answer == step.answer)
        },
        Rule("one that is cancelled when its turn has just come gives it to the next") { suite in
            let ledger = try await suite.make()
            var jobs = (0..<2).map { makeJob("\($0)", after: Double($0)) }
            for index in jobs.indices { jobs[index].serial = .end }
            let marks = try await record(jobs.map { .job($0, maybeRepeated: false) }, in: ledger)
            let owed = try await ledger.order(
                .cancel, of: jobs[0].id, view: ControlView(), routes: [DeliveryRoute(delegate: "hook")], now: start)
            let next = owed.compactMap { if case .mark(let marker) = $0.action { marker } else { nil } }
            #expect(next.map(\.job) == [jobs[1].id])
            let late = marks.compactMap {
                if case .mark(let marker) = $0.action { NotifierMessage.marker(marker) } else { nil }
            }
            #expect(late.count == 1)
            #expect(try await record(late, in: ledger).isEmpty)
            let issued = try await record(next.map { .marker($0) }, in: ledger)
            guard case .issue(let baton, _, _) = issued.first?.action else {
                Issue.record("the next one is owed an issue")
                return
            }
            #expect(baton.job.id == jobs[1].id && !baton.isCancel)
        },
    ]
}
