import Foundation
import Glibc
import Testing
import UploadTesting

@testable import PostgreSQL

@Suite(.timeLimit(.minutes(10)))
struct PostgreSQLClientTests {
    @Test func `a transaction takes effect as a whole, or not at all`() async throws {
        let client = PostgreSQLClient(try await PostgreSQLConfiguration(PostgreSQLNode.shared().url), connections: 2)
        let table = "t" + UUID().uuidString.replacing("-", with: "")
        try await client.execute(Statement(stringLiteral: "CREATE TABLE \(table) (id bigint PRIMARY KEY)"))
        let insert = Statement(stringLiteral: "INSERT INTO \(table) VALUES (1)")
        let count = Statement(stringLiteral: "SELECT count(*) AS count FROM \(table)")
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await client.transaction { transaction in
                try await transaction.execute(insert)
                throw Stop()
            }
        }
        #expect(try await client.execute(count)[0].get("count", as: Int64.self) == 0)
        // An error that the body hides: the server would roll back at the COMMIT.
        let hidden = await #expect(throws: PostgreSQLError.self) {
            try await client.transaction { transaction in
                try await transaction.execute(insert)
                _ = try? await transaction.execute("SELECT 1/0")
            }
        }
        #expect(hidden?.code == .serverFailed)
        #expect(try await client.execute(count)[0].get("count", as: Int64.self) == 0)
        let answers = try await client.transaction { try await $0.execute([insert, count]) }
        #expect(try answers[1][0].get("count", as: Int64.self) == 1)
        try await client.transaction { _ in }
        let refused = await #expect(throws: PostgreSQLError.self) {
            try await client.transaction(.snapshot) { try await $0.execute(insert) }
        }
        #expect(refused?.code == .readOnly)
        #expect(try await client.execute(count)[0].get("count", as: Int64.self) == 1)
        await client.close()
        let closed = await #expect(throws: PostgreSQLError.self) { try await client.execute("SELECT 1") }
        #expect(closed?.code == .closed)
    }

    @Test func `many tasks share few connections, and none keeps a transaction of another`() async throws {
        let client = PostgreSQLClient(try await PostgreSQLConfiguration(PostgreSQLNode.shared().url), connections: 3)
        try await client.withConnection { _ = try await $0.execute("BEGIN") }
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<300 {
                group.addTask { try await client.execute("SELECT \(Int64(number)) AS number")[0].get("number") }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 300 * 299 / 2)
        let open = try await client.execute(
            "SELECT count(*) AS count FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND query = 'BEGIN'"
        )
        #expect(try open[0].get("count", as: Int64.self) == 0)
        await client.close()
    }

    @Test func `transactions that meet are told to try again`() async throws {
        let client = PostgreSQLClient(try await PostgreSQLConfiguration(PostgreSQLNode.shared().url), connections: 2)
        let table = "t" + UUID().uuidString.replacing("-", with: "")
        try await client.execute([
            Statement(stringLiteral: "CREATE TABLE \(table) (id bigint PRIMARY KEY, count bigint)"),
            Statement(stringLiteral: "INSERT INTO \(table) VALUES (1, 0), (2, 0)"),
        ])
        func add(_ id: Int) -> Statement {
            Statement(stringLiteral: "UPDATE \(table) SET count = count + 1 WHERE id = \(id)")
        }
        // Each locks one row, and then asks for the other's.
        let error = await #expect(throws: PostgreSQLError.self) {
            try await client.transaction { first in
                try await first.execute(add(1))
                try await client.transaction { second in
                    try await second.execute(add(2))
                    async let waiting = first.execute(add(2))
                    try await second.execute(add(1))
                    _ = try await waiting
                }
            }
        }
        #expect(
            error?.code == .conflict && error?.isRetryable == true && error?.sqlState == "40P01",
            "\(String(describing: error))")
        await client.close()
    }

    @Test func `connections come back when the server does`() async throws {
        let node = try await PostgreSQLNode()
        let client = PostgreSQLClient(try PostgreSQLConfiguration(node.url), connections: 4)
        try await client.execute("SELECT 1")
        try await node.kill9()
        for _ in 0..<3 {
            let error = await #expect(throws: PostgreSQLError.self) { try await client.execute("SELECT 1") }
            #expect(error?.isRetryable == true)
        }
        try await node.start()
        try await client.execute("SELECT 1")
        await client.close()
    }

    @Test func `when the server takes no more connections, callers share those that there are`() async throws {
        let node = try await PostgreSQLNode(["max_connections=6"])
        // Three are reserved for superusers, which the tests' user is.
        let client = PostgreSQLClient(try PostgreSQLConfiguration(node.url), connections: 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { try await client.execute("SELECT pg_sleep(0.05)") } }
            try await group.waitForAll()
        }
        await client.close()
    }

    @Test func `a caller that is cancelled waits no more`() async throws {
        let client = PostgreSQLClient(try await PostgreSQLConfiguration(PostgreSQLNode.shared().url), connections: 1)
        try await client.withConnection { _ in
            let task = Task { try await client.execute("SELECT 1") }
            task.cancel()
            let error = await #expect(throws: PostgreSQLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
        await client.close()
    }

    @Test func `a server that hangs counts as lost`() async throws {
        let node = try await PostgreSQLNode()
        var configuration = try PostgreSQLConfiguration(node.url)
        configuration.answerTimeout = .milliseconds(300)
        let connection = try await Connection.open(configuration)
        let process: Int64 = try await connection.execute("SELECT pg_backend_pid()::bigint AS pid")[0].get("pid")
        kill(pid_t(process), SIGSTOP)
        let error = await #expect(throws: PostgreSQLError.self) { try await connection.execute("SELECT 1") }
        #expect(error?.code == .timedOut && error?.isOutcomeUnknown == true)
        kill(pid_t(process), SIGCONT)
    }

    /// Makes a table, and a client whose connections a proxy can disturb.
    private func disturbed() async throws -> (
        proxy: FaultProxy, client: PostgreSQLClient, count: () async throws -> Int64, Statement
    ) {
        let node = try await PostgreSQLNode.shared()
        let proxy = try FaultProxy(to: node.port)
        let table = "t" + UUID().uuidString.replacing("-", with: "")
        let direct = PostgreSQLClient(try PostgreSQLConfiguration(node.url), connections: 1)
        try await direct.execute(Statement(stringLiteral: "CREATE TABLE \(table) (id bigint)"))
        let client = PostgreSQLClient(
            try PostgreSQLConfiguration("postgres://upload:secret@127.0.0.1:\(proxy.port)/postgres"), connections: 1)
        return (
            proxy, client,
            {
                try await direct.execute(Statement(stringLiteral: "SELECT count(*) AS count FROM \(table)"))[0].get(
                    "count")
            },
            Statement(stringLiteral: "INSERT INTO \(table) VALUES (1)")
        )
    }

    @Test func `a COMMIT whose answer is lost is uncertain, and the data says that it took effect`() async throws {
        let (proxy, client, count, insert) = try await disturbed()
        defer { proxy.stop() }
        async let transaction: Void = client.transaction { transaction in
            try await transaction.execute(insert)
            proxy.holdAnswers()
        }
        try await eventually("the server commits") { try await count() == 1 }
        proxy.cut()
        proxy.holdAnswers(false)
        do {
            try await transaction
            Issue.record("the answer came")
        } catch {
            let error = error as? PostgreSQLError
            #expect(error?.code == .connectionLost && error?.isOutcomeUnknown == true, "\(String(describing: error))")
        }
        try await client.execute("SELECT 1")
    }

    @Test func `a COMMIT that is lost on its way is uncertain, and the data says that it took no effect`() async throws
    {
        let (proxy, client, count, insert) = try await disturbed()
        defer { proxy.stop() }
        let error = await #expect(throws: PostgreSQLError.self) {
            try await client.transaction { transaction in
                try await transaction.execute(insert)
                proxy.cut(afterBytes: 5, .toBroker)
            }
        }
        #expect(error?.code == .connectionLost && error?.isOutcomeUnknown == true, "\(String(describing: error))")
        #expect(try await count() == 0)
    }
}
