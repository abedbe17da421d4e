import Foundation
import PostgreSQL
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// A ledger records ends of jobs while its server fails.
@Suite("The PostgreSQL ledger while its server fails", .timeLimit(.minutes(20)))
struct PostgreSQLLedgerTroubleTests {
    private static let batches = (0..<60).map { batch in (0..<20).map { Sample.job(key: "\(batch)-\($0)") } }

    private static func open(_ url: String, schema: String = PostgreSQLLedger.standardSchema) async throws
        -> PostgreSQLLedger
    {
        let ledger = try await PostgreSQLLedger.open(url, schema: schema)
        try await eventually("the shard is free") { ledger.kept(of: .one) == [0] }
        return ledger
    }

    /// Records the batches one after the other, each again until it is recorded, as the broker delivers messages again that were not
    /// acknowledged. Other errors than those that pass end it.
    /// - Parameter recorded: the number of recorded batches.
    /// - Returns: what is owed, and how often a batch had to be recorded again.
    private static func record(
        in ledger: PostgreSQLLedger, _ recorded: Box<Int> = Box(0)
    ) async throws -> (owed: [OwedAction], failures: Int) {
        var (owed, failures): ([OwedAction], Int) = ([], 0)
        for batch in batches {
            while true {
                do throws(UploadError) {
                    owed += try await ledger.record(
                        batch.map { Sample.event(.completed, $0) }, view: ControlView(), routes: Sample.routes,
                        now: Sample.start)
                    break
                } catch {
                    guard error.code == .serverFailure else { throw error }
                    failures += 1
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            recorded.change { $0 += 1 }
        }
        return (owed, failures)
    }

    /// Each outcome is owed once, and told to each delegate once.
    private static func expectWhole(_ owed: [OwedAction], in ledger: PostgreSQLLedger) async throws {
        let jobs = batches.flatMap { $0 }.map(\.id.rawValue)
        #expect(owed.map(\.job.rawValue).sorted() == jobs.sorted())
        #expect(try await ledger.counts() == [.completed: jobs.count])
        #expect(try await ledger.status(of: "hook").backlog == jobs.count)
        #expect(try await ledger.owed().count == jobs.count)
        #expect(try await ledger.unreadableCount(DeadLetterListing()) == 0)
        let sequence = try await ledger.lastSequence()
        #expect(sequence >= jobs.count)
    }

    @Test func `a server that is killed again and again loses nothing and doubles nothing`() async throws {
        let node = try await PostgreSQLNode()
        let ledger = try await Self.open(node.url)
        let recorded = Box(0)
        async let recording = Self.record(in: ledger, recorded)
        for death in 1...5 {
            try await eventually("some batches are recorded") { recorded.value >= death * 10 }
            try await node.kill9()
            try await node.start()
        }
        let owed = try await recording.owed
        try await Self.expectWhole(owed, in: ledger)
        await ledger.close()
    }

    /// The replica is synchronous, so it has every record that the ledger has reported as durable.
    @Test func `a replica that is promoted when the primary dies goes on with every record`() async throws {
        let primary = try await PostgreSQLNode(["synchronous_standby_names=*"])
        let replica = try await primary.replica()
        let ledger = try await Self.open(
            "postgres://upload:secret@127.0.0.1:\(primary.port),127.0.0.1:\(replica.port)/postgres"
                + "?target_session_attrs=read-write")
        let recorded = Box(0)
        async let recording = Self.record(in: ledger, recorded)
        try await eventually("some batches are recorded") { recorded.value >= 20 }
        try await primary.kill9()
        try await replica.promote()
        let owed = try await recording.owed
        try await Self.expectWhole(owed, in: ledger)
        #expect(ledger.kept(of: .one) == [0])
        await ledger.close()
    }

    /// Deadlocks, failures to serialize, a full disk, time limits and connections that run out, at statements of every kind.
    @Test func `whatever passes by itself, at any statement, loses nothing and doubles nothing`() async throws {
        let (url, schema) = (
            try await PostgreSQLNode.shared().url, "ledger_" + UUID().uuidString.replacing("-", with: "").lowercased()
        )
        let ledger = try await Self.open(url, schema: schema)
        let client = PostgreSQLClient(try PostgreSQLLedger.configuration(url, password: nil, schema: schema))
        // A number of a sequence is not given again when its transaction is rolled back.
        try await client.execute([
            "CREATE SEQUENCE statements",
            """
            CREATE FUNCTION fail_sometimes() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE place bigint; BEGIN
                place := nextval('statements');
                IF place % 23 = 0 THEN
                    RAISE EXCEPTION 'made up' USING
                    ERRCODE = (ARRAY['40001', '40P01', '53100', '53200', '57014', '55P03'])[1 + place / 23 % 6];
                END IF;
                RETURN NULL;
            END $$
            """,
        ])
        for table in ["jobs", "events", "deliveries", "owed", "commits", "texts"] {
            let name = Statement(stringLiteral: table)
            try await client.execute(
                """
                CREATE TRIGGER fails AFTER INSERT OR UPDATE OR DELETE ON \(name)
                FOR EACH STATEMENT EXECUTE FUNCTION fail_sometimes()
                """)
        }
        let (owed, failures) = try await Self.record(in: ledger)
        #expect(failures >= 6, "each kind of failure has happened")
        try await client.execute("DROP FUNCTION fail_sometimes CASCADE")
        try await Self.expectWhole(owed, in: ledger)
        await client.close()
        await ledger.close()
    }

    @Test(arguments: [
        "SELECT pg_terminate_backend(pg_backend_pid())", "SET LOCAL idle_in_transaction_session_timeout = 1",
    ])
    func `a question whose session ends is asked once more`(ending: String) async throws {
        let schema = "ledger_" + UUID().uuidString.replacing("-", with: "").lowercased()
        let ledger = try await Self.open(try await PostgreSQLNode.shared().url, schema: schema)
        func end(_ transaction: Transaction) async throws {
            let session: Int64 = try await transaction.execute("SELECT pg_backend_pid()::bigint AS pid")[0].get("pid")
            try await transaction.execute(Statement(stringLiteral: ending))
            try await eventually("the session has ended") {
                try await ledger.query("SELECT 1 FROM pg_stat_activity WHERE pid = \(session)").isEmpty
            }
            try await transaction.execute("SELECT 1")
        }
        var askings = 0
        let answer = try await ledger.read { transaction in
            askings += 1
            if askings == 1 { try await end(transaction) }
            return try await transaction.execute("SELECT 7::bigint AS answer")[0].get("answer", as: Int64.self)
        }
        #expect(askings == 2 && answer == 7)
        let error = await #expect(throws: UploadError.self) { try await ledger.read { try await end($0) } }
        #expect(error?.code == .serverFailure, "\(String(describing: error))")
        await ledger.close()
    }

    @Test func `few connections are shared, and a ledger opens when there is one`() async throws {
        // Three of them are kept for superusers, as which the tests connect.
        let node = try await PostgreSQLNode(["max_connections=6"])
        let configuration = try PostgreSQLLedger.configuration(node.url, password: nil, schema: "public")
        var others: [Connection] = []
        while others.count < 6 {
            // The connection that asked whether the server is ready may still be there.
            try await eventually("there is a connection for another program") {
                guard let connection = try? await Connection.open(configuration) else { return false }
                others.append(connection)
                return true
            }
        }
        let error = await #expect(throws: UploadError.self) { _ = try await PostgreSQLLedger.open(node.url) }
        #expect(error?.code == .serverFailure, "\(String(describing: error))")
        others = []
        try await eventually("their connections are closed") {
            (try? await Connection.open(configuration)) != nil
        }
        let ledger = try await Self.open(node.url)
        async let recording = Self.record(in: ledger)
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await ledger.counts() } }
                try await group.waitForAll()
            }
        }
        let owed = try await recording.owed
        try await Self.expectWhole(owed, in: ledger)
        await ledger.close()
    }
}
