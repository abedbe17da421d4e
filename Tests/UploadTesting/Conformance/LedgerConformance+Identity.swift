import Foundation
import Testing
import Uploads

extension LedgerConformance {
    static let identifying = [
        Rule("each ledger has an identity of its own, which recording does not change") { suite in
            let (ledger, other) = (try await suite.make(), try await suite.make())
            let identity = try await ledger.identity()
            let stranger = try await other.identity()
            #expect(identity.pending == nil && stranger.pending == nil)
            #expect(Set([identity.id, identity.opening, stranger.id, stranger.opening]).count == 4)
            try await record([.job(makeJob("a"), maybeRepeated: false)], in: ledger)
            #expect(try await ledger.identity() == identity)
            #expect(!ledger.path.isEmpty)
        },
        Rule("an opening is noted as pending, and then as the last one, and a restart changes neither") { suite in
            var ledger = try await suite.make()
            let made = try await ledger.identity()
            let (lost, opening) = (UUID(), UUID())
            try await ledger.notePending(lost)
            #expect(try await ledger.identity() == LedgerIdentity(id: made.id, opening: made.opening, pending: lost))
            // The notifier died before the log had it, and the next one makes an opening of its own.
            try await ledger.notePending(opening)
            let pending = LedgerIdentity(id: made.id, opening: made.opening, pending: opening)
            #expect(try await ledger.identity() == pending)
            ledger = try await suite.reopen(ledger)
            #expect(try await ledger.identity() == pending)
            try await ledger.noteOpened(opening)
            #expect(try await ledger.identity() == LedgerIdentity(id: made.id, opening: opening))
            ledger = try await suite.reopen(ledger)
            #expect(try await ledger.identity() == LedgerIdentity(id: made.id, opening: opening))
        },
        Rule("an opening that the log has lets a notifier work with the ledger, pending or not, and no other does") {
            suite in
            let ledger = try await suite.make()
            let made = try await ledger.identity()
            func verdict(on opening: UUID) async throws -> LedgerVerdict {
                let claim = LedgerClaim(ledger: made.id, term: 3, opening: opening)
                return try await ledger.identity().verdict(on: claim)
            }
            let (opening, other) = (UUID(), UUID())
            try await ledger.notePending(opening)
            #expect(try await verdict(on: made.opening).term == 3)
            #expect(try await verdict(on: opening).term == 3)
            #expect(try await verdict(on: other).term == nil)
            try await ledger.noteOpened(opening)
            #expect(try await verdict(on: opening).term == 3)
            #expect(try await verdict(on: made.opening).term == nil)
            let foreign = LedgerClaim(ledger: other, term: 3, opening: opening)
            #expect(try await ledger.identity().verdict(on: foreign).term == nil)
        },
        Rule("what was recorded, and what was confirmed before the end, outlasts a restart") { suite in
            var ledger = try await suite.make()
            let (ended, open) = (makeJob("ended"), makeJob("open", after: 1))
            let owed = try await record([event(.completed, ended), event(.suspect, open)], in: ledger)
            #expect(owed.map(\.job) == [ended.id, open.id])
            ledger.settle([owed[0].id])
            let jobs = try await ledger.jobs(LedgerFilter()).jobs
            ledger = try await suite.reopen(ledger)
            #expect(try await ledger.owed() == [owed[1]])
            #expect(try await ledger.jobs(LedgerFilter()).jobs == jobs)
            #expect(jobs.map(\.id) == [open.id, ended.id])
            #expect(try await ledger.counts() == [.completed: 1, .queued: 1])
            #expect(try await ledger.events(of: ended.id).map(\.kind) == [.completed])
        },
        Rule("a ledger that was closed refuses every call") { suite in
            let ledger = try await suite.make()
            try await ledger.close()
            await #expect(throws: UploadError.self) { _ = try await ledger.counts() }
            await #expect(throws: UploadError.self) {
                try await record([.job(makeJob("late"), maybeRepeated: false)], in: ledger)
            }
            await #expect(throws: UploadError.self) { try await ledger.noteOpened(UUID()) }
        },
    ]
}
