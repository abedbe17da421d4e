import Foundation
import PostgreSQL
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

@Suite("The PostgreSQL ledger behind its ports", .timeLimit(.minutes(20)))
struct PostgreSQLLedgerTests {
    /// A schema of its own keeps each ledger apart.
    private static func makeSchema() -> String { "ledger_" + UUID().uuidString.replacing("-", with: "").lowercased() }

    /// Opens the ledger, and waits until no other notifier has the shard.
    private static func open(_ url: String, schema: String) async throws -> PostgreSQLLedger {
        let ledger = try await PostgreSQLLedger.open(url, schema: schema)
        try await eventually("the shard is free") { ledger.kept(of: .one) == [0] }
        return ledger
    }

    @Test(arguments: LedgerConformance.rules)
    func `does what every ledger must do`(rule: LedgerConformance.Rule) async throws {
        let url = try await PostgreSQLNode.shared().url
        let schemas = Box<[String: String]>([:])
        let suite = LedgerConformance(LedgerConformance.Traits(keepsNewestEvent: false)) {
            let schema = Self.makeSchema()
            let ledger = try await Self.open(url, schema: schema)
            schemas.change { $0["\(ObjectIdentifier(ledger))"] = schema }
            return ledger
        } reopen: { ledger in
            let old = try #require(ledger as? PostgreSQLLedger)
            let schema = try #require(schemas.value["\(ObjectIdentifier(old))"])
            // With statistics a server reads small tables whole, in the order of their rows.
            _ = try await old.query("ANALYZE jobs, line")
            await old.close()
            let new = try await Self.open(url, schema: schema)
            schemas.change { $0["\(ObjectIdentifier(new))"] = schema }
            return new
        }
        try await rule.check(suite)
    }

    @Test func `notifiers that start at once make the tables once`() async throws {
        let url = try await PostgreSQLNode.shared().url
        let schema = Self.makeSchema()
        let ids = try await withThrowingTaskGroup(of: UUID.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    let ledger = try await Self.open(url, schema: schema)
                    let id = try await ledger.identity().id
                    await ledger.close()
                    return id
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test func `a user who may make nothing in the database uses what an administrator has made`() async throws {
        let node = try await PostgreSQLNode.shared()
        let schema = Self.makeSchema()
        // Makes the extensions, one test after the other.
        try await Self.open(node.url, schema: Self.makeSchema()).close()
        _ = try PostgreSQLNode.query("CREATE ROLE \(schema) LOGIN PASSWORD 'secret'", at: node.url)
        let url = "postgres://\(schema):secret@127.0.0.1:\(node.port)/postgres"
        let error = await #expect(throws: UploadError.self) { _ = try await Self.open(url, schema: schema) }
        #expect(error?.code == .misconfigured && error?.message.contains("needs CREATE") == true)
        _ = try PostgreSQLNode.query("CREATE SCHEMA \(schema) AUTHORIZATION \(schema)", at: node.url)
        for _ in 0..<2 { try await Self.open(url, schema: schema).close() }
        // As after a restore by another user.
        _ = try PostgreSQLNode.query("ALTER TABLE \(schema).jobs OWNER TO CURRENT_USER", at: node.url)
        let ledger = try await Self.open(url, schema: schema)
        let refused = await #expect(throws: UploadError.self) { _ = try await ledger.job(JobID()) }
        #expect(refused?.message.contains("has to own the tables") == true, "\(String(describing: refused))")
        await ledger.close()
    }

    @Test func `jobs of before are found by their errors and apps, and those that were paused are resumed`()
        async throws
    {
        let (url, schema) = (try await PostgreSQLNode.shared().url, Self.makeSchema())
        let configuration = try PostgreSQLLedger.configuration(url, password: nil, schema: schema)
        let client = PostgreSQLClient(configuration, connections: 1)
        try await PostgreSQLSchema.bringUpToDate(client, schema: schema, to: 2)
        let jobs = JobsOfBefore.make()
        for job in jobs {
            try await client.execute(
                """
                INSERT INTO jobs (id, queue, destination, status, since, enqueued, size, keeps_pause, is_settled, record)
                VALUES (\(job.id.rawValue), 'default', 'photos', \(job.status.rawValue),
                \(job.since.timeIntervalSince1970), 0, 5, \(job.keepsPause), \(job.isSettled),
                \(RowText.stored(try JobsOfBefore.record(of: job))))
                """)
        }
        await client.close()
        let ledger = try await Self.open(url, schema: schema)
        try await JobsOfBefore.expectFound(jobs, in: ledger)
        #expect(try await ledger.counts().values.allSatisfy { $0 == 1 })
        await ledger.close()
    }

    // MARK: The lease

    @Test func `a second notifier stands by until the first one has closed the ledger, and has its history then`()
        async throws
    {
        let (url, schema) = (try await PostgreSQLNode.shared().url, Self.makeSchema())
        let first = try await Self.open(url, schema: schema)
        let second = try await PostgreSQLLedger.open(url, schema: schema)
        #expect(second.kept(of: .one).isEmpty)
        let job = Sample.job()
        #expect(try await end(job, in: first) {}.count == 1)
        // It answers, and decides nothing.
        #expect(try await second.counts() == [.completed: 1])
        let error = await #expect(throws: UploadError.self) { try await end(Sample.job(), in: second) {} }
        #expect(error?.code == .serverFailure && error.map { !LedgerFailure.isOfOne($0) } == true)
        await first.close()
        await second.untilKept(otherThan: [])
        #expect(second.kept(of: .one) == [0])
        #expect(try await second.owed().map(\.job) == [job.id])
        await second.close()
    }

    @Test func `a notifier that does not share gets no shard, and loses what it has`() async throws {
        let (url, schema) = (try await PostgreSQLNode.shared().url, Self.makeSchema())
        let first = try await PostgreSQLLedger.open(url, schema: schema, isSharing: false)
        #expect(first.kept(of: .one).isEmpty)
        let second = try await Self.open(url, schema: schema)
        await first.share(true)
        #expect(first.kept(of: .one).isEmpty && first.isShared)
        await second.share(false)
        await first.untilKept(otherThan: [])
        #expect(first.kept(of: .one) == [0])
        // It learns that when it shares again.
        await second.share(true)
        #expect(second.kept(of: .one).isEmpty)
        await first.close()
        await second.close()
    }

    @Test func `a notifier that was cut off is taken over, and writes nothing when it is back`() async throws {
        let (proxy, first, reader, schema) = try await makeDisturbed()
        defer { proxy.stop() }
        let (kept, refused) = (Sample.job(key: "kept"), Sample.job(key: "refused"))
        #expect(try await end(kept, in: first) {}.count == 1)
        proxy.stall()
        let second = try await Self.open(try await PostgreSQLNode.shared().url, schema: schema)
        #expect(try await second.owed().map(\.job) == [kept.id])
        // It believes that it has the ledger until the server tells it otherwise.
        #expect(first.kept(of: .one) == [0])
        proxy.stall(false)
        let error = await #expect(throws: UploadError.self) { try await end(refused, in: first) {} }
        #expect(error?.code == .serverFailure && error.map { !LedgerFailure.isOfOne($0) } == true)
        await first.untilKept(otherThan: [0])
        #expect(first.kept(of: .one).isEmpty && !first.mayClaim)
        await first.close()
        #expect(second.kept(of: .one) == [0])
        #expect(try await end(refused, in: second) {}.count == 1)
        #expect(try await second.counts() == [.completed: 2])
        await second.close()
        await reader.close()
    }

    @Test
    func `a lease from a clock that was ahead is no lease, and one that is given back by a cancelled task is free`()
        async throws
    {
        let (url, schema) = (try await PostgreSQLNode.shared().url, Self.makeSchema())
        let first = try await Self.open(url, schema: schema)
        let closing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await first.close()
        }
        await closing.value
        let second = try await PostgreSQLLedger.open(url, schema: schema)
        #expect(second.kept(of: .one) == [0])
        let client = PostgreSQLClient(try PostgreSQLLedger.configuration(url, password: nil, schema: schema))
        let third = try await PostgreSQLLedger.open(url, schema: schema)
        #expect(third.kept(of: .one).isEmpty)
        let epoch: Int64 = try await client.execute("SELECT epoch FROM shards WHERE shard = 0")[0].get("epoch")
        try await eventually("the lease is no lease, unless it was renewed just then") {
            try await client.execute(
                "UPDATE shards SET held_until = now() + interval '1 hour' WHERE shard = 0 AND epoch = \(epoch)")
            return third.kept(of: .one) == [0]
        }
        await client.close()
        await second.close()
        #expect(third.kept(of: .one) == [0], "the old one gives back only what it has")
        await third.close()
    }

    // MARK: Lost answers

    private func makeDisturbed() async throws -> (
        proxy: FaultProxy, ledger: PostgreSQLLedger, direct: PostgreSQLLedgerReader, schema: String
    ) {
        let node = try await PostgreSQLNode.shared()
        let (proxy, schema) = (try FaultProxy(to: node.port), Self.makeSchema())
        let ledger = try await Self.open(
            "postgres://upload:secret@127.0.0.1:\(proxy.port)/postgres", schema: schema)
        return (proxy, ledger, try await PostgreSQLLedgerReader.open(node.url, schema: schema), schema)
    }

    /// Records the end of a job, and disturbs the connection before the COMMIT.
    private func end(
        _ job: UploadJob, in ledger: PostgreSQLLedger, _ disturb: @escaping @Sendable () -> Void
    ) async throws -> [OwedAction] {
        try await ledger.write { store in
            var batch = LedgerBatch(store, view: ControlView(), routes: Sample.routes, now: Sample.start)
            try batch.receive([Sample.event(.completed, job)])
            let owed = try batch.save()
            disturb()
            return owed
        }
    }

    @Test func `a COMMIT whose answer is lost took effect, and what is owed is told`() async throws {
        let (proxy, ledger, direct, _) = try await makeDisturbed()
        defer { proxy.stop() }
        let job = Sample.job()
        async let owed = end(job, in: ledger) { proxy.holdAnswers() }
        try await eventually("the server commits") { try await direct.unknown(among: [job.id]).isEmpty }
        proxy.cut()
        proxy.holdAnswers(false)
        #expect(try await owed.count == 1)
        await ledger.close()
        await direct.close()
    }

    @Test func `a COMMIT that is lost on its way took no effect, and the batch is recorded again`() async throws {
        let (proxy, ledger, direct, _) = try await makeDisturbed()
        defer { proxy.stop() }
        let job = Sample.job()
        let error = await #expect(throws: UploadError.self) {
            try await end(job, in: ledger) { proxy.cut(afterBytes: 5, .toBroker) }
        }
        #expect(error?.code == .serverFailure)
        #expect(try await direct.unknown(among: [job.id]) == [job.id])
        #expect(try await end(job, in: ledger) {}.count == 1)
        await ledger.close()
        await direct.close()
    }
}
