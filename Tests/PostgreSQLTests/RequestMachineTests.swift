import Foundation
import Testing

@testable import PostgreSQL

struct RequestMachineTests {
    private typealias Machine = RequestMachine<Int>
    private let refused = PostgreSQLError(.invalidStatement, "no")

    private func receive(_ machine: inout Machine, _ events: Machine.Event...) throws -> Result<[Int], PostgreSQLError>?
    {
        var outcome: Result<[Int], PostgreSQLError>?
        for event in events { outcome = try machine.receive(event) }
        return outcome
    }

    @Test func `answers of executed statements come in their order at the synchronisation`() throws {
        var machine = Machine([.deallocate("s1"), .prepare("s2"), .execute("s2"), .execute("s2")])
        #expect(try receive(&machine, .answer(0), .endOfStep, .answer(0), .endOfStep, .answer(7)) == nil)
        let outcome = try receive(&machine, .endOfStep, .answer(8), .endOfStep, .synchronised)
        #expect(try outcome?.get() == [7, 8])
        #expect(machine.prepared == ["s2"])
    }

    @Test func `the first error counts, and what it skips is not prepared`() throws {
        var machine = Machine([.prepare("s1"), .execute("s1"), .prepare("s2"), .execute("s2")])
        _ = try receive(
            &machine, .answer(0), .endOfStep, .failed(refused), .endOfStep, .skipped, .endOfStep, .skipped, .endOfStep)
        let outcome = try receive(&machine, .synchronised)
        #expect(throws: PostgreSQLError.self) { try outcome?.get() }
        #expect(machine.prepared == ["s1"] && machine.failure?.code == .invalidStatement)
    }

    @Test func `what no statement waits for ends the connection`() {
        let wrong: [[Machine.Event]] = [
            [.synchronised], [.endOfStep], [.skipped], [.answer(1), .answer(2)], [.answer(1), .synchronised],
            [.answer(1), .endOfStep, .answer(2)], [.answer(1), .endOfStep, .endOfStep],
            [.failed(refused), .failed(refused)],
        ]
        for events in wrong {
            var machine = Machine([.execute("s1")])
            let error = #expect(throws: PostgreSQLError.self) { for event in events { _ = try machine.receive(event) } }
            #expect(error?.code == .connectionLost && error?.isOutcomeUnknown == true)
        }
    }
}

struct PreparedStatementsTests {
    @Test func `a text is prepared once for its types, and the one used longest ago gives way`() {
        var prepared = PreparedStatements(countMaximum: 2)
        let (a, b, c) = (
            PreparedStatements.Key(sql: "a", types: []), PreparedStatements.Key(sql: "a", types: [20]),
            PreparedStatements.Key(sql: "c", types: [])
        )
        #expect(prepared.use(a) == .init(name: "s1", isNew: true))
        #expect(prepared.use(b) == .init(name: "s2", isNew: true))
        #expect(prepared.use(a) == .init(name: "s1", isNew: false))
        #expect(prepared.use(c) == .init(name: "s3", isNew: true, removed: "s2"))
        prepared.forget(["s3"])
        #expect(prepared.use(c) == .init(name: "s4", isNew: true))
        #expect(prepared.use(a) == .init(name: "s1", isNew: false))
    }
}

struct StatementTests {
    @Test func `interpolated values become parameters, also of parts`() {
        let part: Statement = "size > \(7 as Int64)"
        let statement: Statement =
            "SELECT * FROM files WHERE name = \("a'b") AND \(part) ORDER BY \(sql: "name") LIMIT \(1 as Int64)"
        #expect(statement.sql == "SELECT * FROM files WHERE name = $1 AND size > $2 ORDER BY name LIMIT $3")
        #expect(statement.parameters.map(\.type) == [25, 20, 20])
        #expect(statement.parameters[0].bytes == Array("a'b".utf8))
    }
}

struct PostgreSQLDateTests {
    /// In seconds since 1970; the server counts microseconds from 2000, up to the year 294276.
    @Test(arguments: [9_224_318_015_999.0, 9_224_318_016_000, 9_224_318_016_001, 9_225_000_000_000, 1e18, .infinity])
    func `a time that the server cannot hold is its infinity`(seconds: Double) {
        var bytes: [UInt8] = []
        Date(timeIntervalSince1970: seconds).encode(into: &bytes)
        #expect((bytes == [0x7F] + Array(repeating: 0xFF, count: 7)) == (seconds >= 9_224_318_016_000))
    }
}

struct PostgreSQLConfigurationTests {
    @Test func `several hosts are tried in order, each with its port`() throws {
        let configuration = try PostgreSQLConfiguration(
            "postgres://u:secret@a:1,b:2/db?target_session_attrs=prefer-standby&connect_timeout=7&application_name=x")
        #expect(
            configuration.attempts.map { "\($0.host) \($0.parameters["target_session_attrs"] ?? "")" } == [
                "a:1 standby", "b:2 standby", "a:1 any", "b:2 any",
            ])
        #expect(configuration.connectTimeout == .seconds(7))
        let first = try #require(configuration.attempts.first?.parameters)
        #expect(
            first["host"] == "a" && first["port"] == "1" && first["dbname"] == "db" && first["connect_timeout"] == nil)
        #expect(first["client_encoding"] == "UTF8" && first["tcp_user_timeout"] == "30000")
    }

    @Test func `a password is not shown`() throws {
        let configuration = try PostgreSQLConfiguration("host=a,b port=5433 user=u password=hush dbname=db")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(configuration.description == "a:5433,b:5433/db as u")
        for text in [dumped, "\(configuration)", String(reflecting: configuration)] {
            #expect(!text.contains("hush"), "\(text)")
        }
    }

    @Test(arguments: [
        "postgres://a:1,b:2,c/x?port=1,2", "host=a,b port=1,2,3", "http://a", "host", "postgres://a?connect_timeout=0",
        "postgres://a?connect_timeout=x", "postgres://a?colour=red", "postgres://a%zz",
    ])
    func `what cannot be used is refused with a reason`(_ text: String) {
        let error = #expect(throws: PostgreSQLError.self) { try PostgreSQLConfiguration(text) }
        #expect(error?.code == .invalidConfiguration && error?.message.isEmpty == false, "\(text)")
    }
}
