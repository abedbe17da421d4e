import Foundation
import Testing
import UploadTesting

@testable import PostgreSQL

@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    private func connect() async throws -> Connection {
        try await Connection.open(PostgreSQLConfiguration(await PostgreSQLNode.shared().url))
    }

    private func roundTrip<Value: PostgreSQLEncodable & PostgreSQLDecodable & Equatable>(
        _ values: Value..., over connection: Connection
    ) async throws {
        for value in values {
            let rows = try await connection.execute("SELECT \(value) AS value")
            #expect(try rows.first?.get("value") == value)
        }
    }

    @Test func `values of every type come back as they were sent`() async throws {
        let connection = try await connect()
        try await roundTrip(true, false, over: connection)
        try await roundTrip(Int64.min, -1, 0, .max, over: connection)
        try await roundTrip(0.0, -1.5, .greatestFiniteMagnitude, .infinity, .leastNonzeroMagnitude, over: connection)
        try await roundTrip(
            "", "é", "e\u{301}", "a'b\\\"; DROP", String(repeating: "x", count: 3_000_000), over: connection)
        try await roundTrip(Data(), Data([0, 255]), Data(repeating: 7, count: 9_000_000), over: connection)
        try await roundTrip(UUID(), over: connection)
        try await roundTrip(
            Date(timeIntervalSince1970: 1_795_000_000.25), Date(timeIntervalSince1970: -1), over: connection)
        try await roundTrip(["a", "", "ü"], [], over: connection)
        try await roundTrip([Int64](), [1, .min], over: connection)
        try await roundTrip([Data([0]), Data()], over: connection)
        let rows = try await connection.execute(
            "SELECT \(nil as String?) AS none, \([nil, "x"] as [String?])[2] AS second")
        #expect(try rows[0].getIfPresent("none", as: String.self) == nil)
        #expect(try rows[0].get("second") == "x")
        await connection.close()
    }

    @Test func `statements of one call are one transaction, and the connection goes on after an error`() async throws {
        let connection = try await connect()
        try await connection.execute("CREATE TEMPORARY TABLE files (id bigint PRIMARY KEY)")
        let error = await #expect(throws: PostgreSQLError.self) {
            try await connection.execute([
                "INSERT INTO files VALUES (\(1 as Int64))", "INSERT INTO files VALUES (\(1 as Int64))",
                "SELECT \("later")",
            ])
        }
        #expect(error?.code == .constraintViolated && error?.sqlState == "23505" && error?.isOutcomeUnknown == false)
        #expect(
            try await connection.execute("SELECT count(*) AS count FROM files")[0].get("count", as: Int64.self) == 0)
        #expect(try await connection.execute("SELECT \("later")").count == 1)
        let wrong = await #expect(throws: PostgreSQLError.self) { try await connection.execute("SELEC 1") }
        #expect(wrong?.code == .invalidStatement)
        let again = await #expect(throws: PostgreSQLError.self) { try await connection.execute("SELEC 1") }
        #expect(again?.code == .invalidStatement)
        let rows = try await connection.execute("INSERT INTO files SELECT unnest(\([1, 2, 3] as [Int64]))")
        #expect(rows.affectedCount == 3 && rows.isEmpty)
        await connection.close()
        let closed = await #expect(throws: PostgreSQLError.self) { try await connection.execute("SELECT 1") }
        #expect(closed?.code == .closed)
    }

    @Test func `thousands of statements and large answers pass in one call`() async throws {
        let connection = try await connect()
        let statements = (0..<5000).map { "SELECT \(Int64($0)) AS number, repeat('x', 1000) AS text" as Statement }
        let answers = try await connection.execute(statements)
        #expect(try answers.map { try $0[0].get("number", as: Int64.self) } == Array(0..<5000))
        let rows = try await connection.execute("SELECT repeat('y', 1000) AS text FROM generate_series(1, 20000)")
        #expect(rows.count == 20_000)
        // More distinct texts than are kept prepared.
        for number in 0..<300 { try await connection.execute(Statement(stringLiteral: "SELECT \(number)")) }
        let kept = try await connection.execute("SELECT count(*) AS count FROM pg_prepared_statements")
        #expect(try kept[0].get("count", as: Int64.self) <= 256)
        await connection.close()
    }

    @Test func `a cancelled task cancels its statement at the server`() async throws {
        let (connection, other) = (try await connect(), try await connect())
        let mark = UUID().uuidString
        let task = Task { try await connection.execute(Statement(stringLiteral: "SELECT pg_sleep(600), '\(mark)'")) }
        func running() async throws -> Int64 {
            try await other.execute(
                "SELECT count(*) AS count FROM pg_stat_activity WHERE state = 'active' AND query LIKE \("%" + mark + "%")"
            )[0].get("count")
        }
        try await eventually("the statement runs") { try await running() == 1 }
        task.cancel()
        let error = await #expect(throws: PostgreSQLError.self) { try await task.value }
        #expect(error?.code == .cancelled && error?.isOutcomeUnknown == false)
        try await eventually("the server gives the statement up") { try await running() == 0 }
        let later = await #expect(throws: PostgreSQLError.self) { try await connection.execute("SELECT 1") }
        #expect(later != nil)
        await other.close()
    }

    @Test func `a server that dies leaves the running statement uncertain, and those behind it undone`() async throws {
        let node = try await PostgreSQLNode()
        let connection = try await Connection.open(PostgreSQLConfiguration(node.url))
        async let running = connection.execute("SELECT pg_sleep(600)")
        let other = try await Connection.open(PostgreSQLConfiguration(node.url))
        try await eventually("the statement runs") {
            try await !other.execute(
                "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%sleep(600)%' AND pid <> pg_backend_pid()"
            ).isEmpty
        }
        async let behind = connection.execute("SELECT 1")
        try await node.kill9()
        do { _ = try await running; Issue.record("it ended") } catch let error as PostgreSQLError {
            #expect(error.code == .connectionLost && error.isOutcomeUnknown, "\(error)")
        }
        do { _ = try await behind; Issue.record("it ended") } catch let error as PostgreSQLError {
            #expect(error.code == .connectionLost && !error.isOutcomeUnknown, "\(error)")
        }
        let refused = await #expect(throws: PostgreSQLError.self) {
            try await Connection.open(PostgreSQLConfiguration(node.url))
        }
        #expect(refused?.code == .connectionRefused && refused?.isRetryable == true, "\(String(describing: refused))")
        try await node.start()
        let again = try await Connection.open(PostgreSQLConfiguration(node.url))
        #expect(try await again.execute("SELECT 1").count == 1)
        await again.close()
    }

    @Test func `refusals are told apart`() async throws {
        let node = try await PostgreSQLNode.shared()
        func refusal(_ text: String) async throws -> PostgreSQLError? {
            let configuration = try PostgreSQLConfiguration(text)
            return await #expect(throws: PostgreSQLError.self) { try await Connection.open(configuration) }
        }
        let base = "127.0.0.1:\(node.port)"
        let password = try await refusal("postgres://upload:wrong@\(base)/postgres")
        #expect(
            password?.code == .loginRefused && password?.sqlState == "28P01" && password?.isRetryable == false,
            "\(String(describing: password))")
        let user = try await refusal("postgres://other:secret@\(base)/postgres")
        #expect(user?.code == .loginRefused, "\(String(describing: user))")
        let database = try await refusal("postgres://upload:secret@\(base)/missing")
        #expect(database?.code == .notFound, "\(String(describing: database))")
        let nothing = try await refusal("postgres://upload:secret@127.0.0.1:1/postgres")
        #expect(nothing?.code == .connectionRefused, "\(String(describing: nothing))")
        let standby = try await refusal("postgres://upload:secret@\(base)/postgres?target_session_attrs=standby")
        #expect(standby?.code == .connectionRefused, "\(String(describing: standby))")
    }

    @Test func `the next host is tried`() async throws {
        let node = try await PostgreSQLNode.shared()
        let connection = try await Connection.open(
            PostgreSQLConfiguration(
                "postgres://upload:secret@127.0.0.1:1,127.0.0.1:\(node.port)/postgres?target_session_attrs=prefer-standby"
            ))
        #expect(try await connection.execute("SELECT 1").count == 1)
        await connection.close()
    }

    @Test func `time limits of the server are time-outs`() async throws {
        let connection = try await connect()
        try await connection.execute("SET statement_timeout = 50")
        let error = await #expect(throws: PostgreSQLError.self) { try await connection.execute("SELECT pg_sleep(600)") }
        #expect(error?.code == .timedOut && error?.isOutcomeUnknown == false, "\(String(describing: error))")
        #expect(try await connection.execute("SELECT 1").count == 1)
        await connection.close()
    }

    @Test func `notifications of other sessions arrive`() async throws {
        let (connection, other) = (try await connect(), try await connect())
        try await connection.execute("LISTEN news")
        try await other.execute("SELECT pg_notify('news', \("hello"))")
        var notifications = connection.notifications.makeAsyncIterator()
        let first = await notifications.next()
        #expect(first?.channel == "news" && first?.payload == "hello")
        await connection.close()
        #expect(await notifications.next() == nil)
        await other.close()
    }

    @Test func `a thread may wait for an answer`() async throws {
        let connection = try await connect()
        let text: String = try await withCheckedThrowingContinuation { waiter in
            Thread.detachNewThread {
                waiter.resume(
                    with: Result { try connection.executeBlocking(["SELECT \("x") AS text"])[0][0].get("text") })
            }
        }
        #expect(text == "x")
        await connection.close()
    }

    @Test func `a column is asked for by name and type`() async throws {
        let connection = try await connect()
        let row = try await connection.execute("SELECT 'x' AS text, NULL::bigint AS none")[0]
        #expect(throws: PostgreSQLError.self) { try row.get("text", as: Int64.self) }
        #expect(throws: PostgreSQLError.self) { try row.get("other", as: String.self) }
        #expect(throws: PostgreSQLError.self) { try row.get("none", as: Int64.self) }
        await connection.close()
    }

    @Test func `TLS is verified when the connection string asks for it`() async throws {
        let node = try await PostgreSQLNode.shared()
        func url(_ host: String, _ authority: String) -> String {
            "postgres://upload:secret@\(host):\(node.port)/postgres?sslmode=verify-full&sslrootcert=\(authority)"
        }
        let secure = try PostgreSQLConfiguration(url("localhost", node.certificates.authority))
        let connection = try await Connection.open(secure)
        let row = try await connection.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")[0]
        #expect(try row.get("ssl") == true)
        await connection.close()
        let wrongHost = try PostgreSQLConfiguration(url("127.0.0.1", node.certificates.authority))
        let named = await #expect(throws: PostgreSQLError.self) { try await Connection.open(wrongHost) }
        #expect(named?.message.contains("does not match host name") == true, "\(String(describing: named))")
        let wrongAuthority = try PostgreSQLConfiguration(url("localhost", node.certificates.otherAuthority))
        let signed = await #expect(throws: PostgreSQLError.self) { try await Connection.open(wrongAuthority) }
        #expect(signed?.message.contains("certificate verify failed") == true, "\(String(describing: signed))")
    }
}
