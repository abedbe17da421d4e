import Foundation
import Testing
package import Uploads

/// The rules of a ledger's tables in one transaction (``LedgerStore``). They ask for nothing but transactions, so that the tables in
/// memory with which the model checker works obey them as well.
extension LedgerConformance {
    package typealias Tables = any LedgerTransactions

    /// One rule of the tables.
    package struct StoreRule: Sendable, CustomTestStringConvertible {
        package var testDescription: String
        /// Checks the rule with empty tables.
        package var check: @Sendable (Tables) async throws -> Void

        init(_ name: String, _ check: @escaping @Sendable (Tables) async throws -> Void) {
            testDescription = name
            self.check = check
        }
    }

    package static let storeRules = [storedJobs, transacting, outcomes, filtering, lineRows].flatMap { $0 }

    static let storing =
        storeRules.map { rule in
            Rule("the tables in one transaction: \(rule.testDescription)") { try await rule.check($0.make()) }
        } + storedOnce

    /// Writes rows in a transaction of their own.
    @discardableResult
    static func write(
        in tables: Tables, _ change: @escaping @Sendable (inout LedgerChanges) -> Void
    ) async throws -> [OwedAction.ID] {
        try await tables.transaction { store throws in
            var changes = LedgerChanges()
            change(&changes)
            return try store.write(changes, at: start)
        }
    }

    static func read<Value: Sendable>(
        _ tables: Tables, _ body: @escaping @Sendable (any LedgerStore) throws -> Value
    ) async throws -> Value { try await tables.transaction(body) }

    /// The row of a job that the tables do not have yet.
    static func row(
        _ order: UploadJob, _ status: LedgerStatus = .queued, since seconds: Double = 0, original: Data? = nil
    ) -> LedgerChanges.Job {
        var job = LedgerJob(Baton(job: order.redacted), isWhole: true, at: start + seconds)
        job.status = status
        return LedgerChanges.Job(job, before: nil, original: original)
    }

    static func known(_ id: JobID, in store: any LedgerStore) throws -> LedgerJob? {
        if case .job(let job)? = try store.jobs([id])[id] { job } else { nil }
    }

    // MARK: Jobs

    private static let storedJobs = [
        StoreRule("a transaction reads what it has written, and the next one does") { tables in
            let (one, two, unknown) = (row(makeJob("a")), row(makeJob("b"), .waiting), JobID())
            var going = one
            (going.before, going.job.status, going.job.reason) = (one.job, .running, "moved")
            let changed = going
            try await tables.transaction { store throws in
                var changes = LedgerChanges()
                changes.jobs = [one, two]
                #expect(try store.write(changes, at: start).isEmpty)
                #expect(try known(one.job.id, in: store) == one.job)
                changes.jobs = [changed]
                _ = try store.write(changes, at: start)
                #expect(try known(one.job.id, in: store) == changed.job)
            }
            try await tables.transaction { store throws in
                #expect(try store.jobs([]).isEmpty)
                #expect(Set(try store.jobs([one.job.id, two.job.id, unknown]).keys) == [one.job.id, two.job.id])
                #expect(try known(one.job.id, in: store) == changed.job)
                #expect(try known(two.job.id, in: store) == two.job)
                #expect(try known(unknown, in: store) == nil)
            }
        },
        StoreRule("the first original order of a job is kept as it is, and none where none came") { tables in
            var order = makeJob("a")
            order.destination = .url("https://host.example/a?signature=hidden")
            var later = order
            later.metadata = ["which": "second"]
            let (first, second) = (order, later)
            let stored = row(first, original: try WireJSON.encode(first))
            var again = stored
            (again.before, again.original) = (stored.job, nil)
            var replaced = again
            replaced.original = try WireJSON.encode(second)
            let (without, repeats) = (row(makeJob("b")), [again, replaced])
            try await write(in: tables) { $0.jobs = [stored, without] }
            for change in repeats { try await write(in: tables) { $0.jobs = [change] } }
            try await tables.transaction { store throws in
                #expect(try store.originalOrder(of: first.id) == first)
                #expect(try known(first.id, in: store)?.baton.job == first.redacted)
                #expect(try store.originalOrder(of: without.job.id) == nil)
                #expect(try store.originalOrder(of: JobID()) == nil)
            }
            let damaged = row(makeJob("c"), original: Data("{".utf8))
            try await write(in: tables) { $0.jobs = [damaged] }
            try await tables.transaction { store throws in
                _ = #expect(throws: DamagedRow.self) { try store.originalOrder(of: damaged.job.id) }
            }
        },
        StoreRule("held jobs come up when their time has come, the longest due first, by queue and worker") { tables in
            let jobs = (0..<5).map { _ in JobID() }
            let video = QueueName(unchecked: "video")
            func hold(_ seconds: Double, needsWorker: Bool = false, _ queue: QueueName = .standard)
                -> LedgerChanges.Hold
            {
                LedgerChanges.Hold(queue: queue, until: start + seconds, needsWorker: needsWorker)
            }
            let holds: [JobID: LedgerChanges.Hold?] = [
                jobs[0]: hold(3), jobs[1]: hold(1), jobs[2]: hold(2, needsWorker: true), jobs[3]: hold(1, video),
                jobs[4]: hold(10),
            ]
            try await write(in: tables) { $0.holds = holds }
            @Sendable func held(
                _ queue: QueueName = .standard, hasWorker: Bool = true, after seconds: Double = 5, limit: Int = 9
            ) async throws -> [JobID] {
                try await read(tables) {
                    try $0.heldJobs(of: queue, hasWorker: hasWorker, now: start + seconds, limit: limit)
                }
            }
            #expect(try await held() == [jobs[1], jobs[2], jobs[0]])
            #expect(try await held(limit: 2) == [jobs[1], jobs[2]])
            #expect(try await held(hasWorker: false) == [jobs[1], jobs[0]])
            #expect(try await held(video) == [jobs[3]])
            #expect(try await held(after: 1) == [jobs[1]])
            #expect(try await held(after: 0.5).isEmpty)
            let later = hold(4)
            try await write(in: tables) { $0.holds = [jobs[1]: nil, jobs[2]: later] }
            #expect(try await held() == [jobs[0], jobs[2]])
            #expect(try await held(hasWorker: false) == [jobs[0], jobs[2]])
        },
    ]

    // MARK: Transactions

    private static let transacting = [
        StoreRule("a transaction that throws writes nothing, and tells why") { tables in
            let job = row(makeJob("a"))
            let errors: [any Error & Sendable] = [
                UploadError(.rejected, "not this one"), DamagedRow("jobs", "a", why: "not this one"),
            ]
            for error in errors {
                do throws(UploadError) {
                    try await tables.transaction { store throws in
                        var changes = LedgerChanges()
                        changes.jobs = [job]
                        changes.owed = [LedgerChanges.Owed(job: job.job.id, action: .append(.lift([])), source: nil)]
                        _ = try store.write(changes, at: start)
                        throw error
                    }
                    Issue.record("the transaction went on")
                } catch {
                    #expect(error.message.contains("not this one"))
                }
                try await tables.transaction { store throws in
                    #expect(try store.jobs([job.job.id]).isEmpty)
                    #expect(try store.owed().isEmpty)
                }
            }
        },
        StoreRule("an attempt that fails for a reason of its own is rolled back and tells the reason") { tables in
            let (before, tried, after) = (row(makeJob("a")), row(makeJob("b")), row(makeJob("c")))
            let place = LedgerChanges.Place(queue: .standard, job: "a", row: .released)
            try await tables.transaction { store throws in
                func write(_ job: LedgerChanges.Job, _ place: LedgerChanges.Place? = nil) throws {
                    var changes = LedgerChanges()
                    changes.jobs = [job]
                    changes.places = [place].compactMap(\.self)
                    _ = try store.write(changes, at: start)
                }
                try write(before)
                let failures: [(any Error, String)] = [
                    (UploadError(.rejected, "it cannot obey"), "it cannot obey"),
                    (DamagedRow("jobs", "x", why: "it is about another job"), "it is about another job"),
                ]
                for (failure, words) in failures {
                    let reason = try store.attempt {
                        try write(tried, place)
                        #expect(try known(tried.job.id, in: store) == tried.job)
                        throw failure
                    }
                    #expect(reason?.contains(words) == true)
                    #expect(try known(tried.job.id, in: store) == nil)
                    #expect(try store.releasedCount(inLineOf: .standard) == 0)
                }
                #expect(try store.attempt { try write(after, place) } == nil)
            }
            try await tables.transaction { store throws in
                let found = try store.jobs([before.job.id, tried.job.id, after.job.id])
                #expect(Set(found.keys) == [before.job.id, after.job.id])
                #expect(try store.releasedCount(inLineOf: .standard) == 1)
            }
        },
        StoreRule("what concerns the whole ledger ends the transaction, not the attempt alone") { tables in
            let (before, tried) = (row(makeJob("a")), row(makeJob("b")))
            let errors: [any Error & Sendable] = [UploadError(.serverFailure, "the disk is full"), CancellationError()]
            for error in errors {
                await #expect(throws: UploadError.self) {
                    try await tables.transaction { store throws in
                        var changes = LedgerChanges()
                        changes.jobs = [before]
                        _ = try store.write(changes, at: start)
                        changes.jobs = [tried]
                        let reason = try store.attempt {
                            _ = try store.write(changes, at: start)
                            throw error
                        }
                        Issue.record("the attempt answered \(reason ?? "nothing")")
                    }
                }
                try await tables.transaction { store throws in
                    #expect(try store.jobs([before.job.id, tried.job.id]).isEmpty)
                }
            }
        },
    ]
}
