import Foundation
import Testing
import Uploads

extension LedgerConformance {
    /// What is to be published, until the broker has confirmed it.
    static let owing = [
        Rule("what is owed is repeated until it is settled, a baton as one that may be a repeat") { suite in
            let ledger = try await suite.make()
            let job = makeSecretJob()
            let marks = try await record([event(.suspect, job)], in: ledger)
            guard case .mark(let marker) = marks.first?.action else {
                Issue.record("a suspect is owed a marker")
                return
            }
            #expect(try await ledger.owed() == marks)
            #expect(try await ledger.owed() == marks, "asking changes nothing")
            ledger.settle(marks.map(\.id))
            #expect(try await ledger.owed().isEmpty)
            let issue = try await record([.marker(marker)], in: ledger)
            for _ in 0..<2 {
                let owed = try await ledger.owed()
                #expect(owed.map(\.id) == issue.map(\.id))
                guard case .issue(let baton, .normal, maybeRepeated: true) = owed.first?.action else {
                    Issue.record("an issue that may be a repeat is owed, not \(owed)")
                    return
                }
                #expect(baton.job == job && baton.generation == 2)
                #expect(owed.dropFirst().map(\.action) == [.append(.fence([job.id: 2]))])
            }
        },
        Rule("what is settled is no longer owed, and the rest is") { suite in
            let ledger = try await suite.make()
            let jobs = (0..<3).map { makeJob("\($0)") }
            let owed = try await record(jobs.map { event(.completed, $0) }, in: ledger)
            try #require(owed.count == 3)
            ledger.settle([owed[1].id])
            #expect(try await ledger.owed() == [owed[0], owed[2]])
            ledger.settle(owed.map(\.id))
            #expect(try await ledger.owed().isEmpty)
        },
        Rule("an issue is not repeated when its round has ended meanwhile, its fence is") { suite in
            let ledger = try await suite.make()
            let job = makeSecretJob()
            let marks = try await record([.job(job, maybeRepeated: false), event(.suspect, job)], in: ledger)
            guard case .mark(let marker) = marks.first?.action else {
                Issue.record("a suspect is owed a marker")
                return
            }
            try await record([.marker(marker), event(.completed, job)], in: ledger)
            let owed = try await ledger.owed().map(\.action)
            guard owed.count == 2, case .outcome(let outcome) = owed[1] else {
                Issue.record("a fence and an outcome are owed, not \(owed)")
                return
            }
            #expect(owed[0] == .append(.fence([job.id: 2])))
            #expect(outcome.id == "\(job.id).1.ended")
        },
        Rule("a marker that was read back and a baton of an older generation are not repeated") { suite in
            let ledger = try await suite.make()
            var baton = Baton(job: makeJob("a"))
            for generation in 2...3 {
                let suspect = UploadEvent(kind: .suspect, of: baton, at: start)
                guard case .mark(let marker) = try await record([.event(suspect)], in: ledger).first?.action,
                    case .issue(let issued, _, _) = try await record([.marker(marker)], in: ledger).first?.action
                else {
                    Issue.record("a suspect is marked and issued")
                    return
                }
                #expect(issued.generation == generation)
                baton = issued
            }
            let id = baton.job.id
            #expect(
                try await ledger.owed().map(\.action) == [
                    .append(.fence([id: 2])), .issue(baton, lane: .normal, maybeRepeated: true),
                    .append(.fence([id: 3])),
                ])
        },
        Rule("what has become needless is struck off, and holds up no clean-up") { suite in
            let ledger = try await suite.make()
            let job = makeJob("a")
            let marks = try await record([event(.suspect, job)], in: ledger, routes: [])
            let ends = try await record([event(.completed, job)], in: ledger, routes: [])
            #expect(marks.count == 1 && ends.count == 1)
            ledger.settle(ends.map(\.id))
            // The marker is still owed.
            #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 10) == 0)
            await #expect(throws: UploadError.self) {
                _ = try await ledger.order(.forget, of: job.id, view: ControlView(), routes: [], now: start)
            }
            #expect(try await ledger.owed().isEmpty)
            #expect(try await ledger.order(.forget, of: job.id, view: ControlView(), routes: [], now: start).isEmpty)
            #expect(try await ledger.job(job.id)?.forgottenAt == start)
            #expect(try await ledger.prune(endedBefore: start + 1, besides: ControlView(), limit: 10) == 1)
        },
    ]
}
