import Foundation
import Hummingbird
import Logging
import Synchronization
import Testing
import Uploads

@testable import UploadNotifier

/// An app whose jobs the ledger records receives their outcomes, although no operator has registered it.
@Suite("Delegates of apps")
struct ClientDelegateTests {
    private static func job(_ client: String?, key: String = "a") -> UploadJob {
        var job = Sample.job(key: key)
        job.client = client
        return job
    }

    private func record(_ ledger: Ledger, _ messages: [NotifierMessage], routes: [DeliveryRoute] = []) async throws {
        _ = try await ledger.record(messages, view: ControlView(), routes: routes, now: Sample.start)
    }

    @Test func `the first job registers it, and its outcome waits for it alone`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let (own, other) = (Self.job("app", key: "own"), Self.job(nil, key: "other"))
        try await record(ledger, [.job(own, maybeRepeated: false), .job(other, maybeRepeated: false)])
        #expect(try await ledger.registrations().map(\.name) == ["client-app"])
        try await record(ledger, [Sample.event(.completed, own), Sample.event(.completed, other)])
        let due = try await ledger.due(for: "client-app", ordered: true, now: Sample.start, excluding: [], limit: 9)
        #expect(due.map(\.event.id) == ["\(own.id).1.ended"])
    }

    @Test func `an outcome of a job that a lost ledger knew registers it as well`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await record(ledger, [Sample.event(.failed, Self.job("app"))])
        #expect(try await ledger.status(of: "client-app").backlog == 1)
    }

    @Test func `an outcome is put into its outbox once, served or not`() async throws {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let route = DeliveryRoute(delegate: "client-app", filter: DeliveryFilter(client: "app"))
        let job = Self.job("app")
        try await record(ledger, [Sample.event(.completed, job)], routes: [route])
        try await record(ledger, [Sample.event(.completed, job)])
        #expect(try await ledger.status(of: "client-app").backlog == 1)
    }

    @Test func `while a removed app is struck off nothing is added to it, and the next job registers it again`()
        async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        try await record(ledger, [Sample.event(.completed, Self.job("app", key: "a"))])
        _ = try await ledger.unregister("client-app", discarding: true, at: Sample.start)
        try await record(ledger, [Sample.event(.completed, Self.job("app", key: "b"))])
        #expect(try await ledger.forget("client-app") == 1)
        #expect(try await ledger.registrations().isEmpty)
        try await record(ledger, [Sample.event(.completed, Self.job("app", key: "c"))])
        #expect(try await ledger.registrations().map(\.name) == ["client-app"])
        #expect(try await ledger.status(of: "client-app").backlog == 1)
    }

    @Test func `beyond the limit, and without a valid identifier, jobs are recorded and no app is registered`()
        async throws
    {
        let scratch = try Scratch()
        let ledger = try Ledger.open(path: scratch.file())
        let limit = ClientRoutes.clientCountMaximum
        let jobs = (0...limit).map { Self.job("app-\($0)", key: "\($0)") } + [Self.job("Not One", key: "x")]
        try await record(ledger, jobs.map { Sample.event(.completed, $0) })
        #expect(try await ledger.registrations().count == limit)
        #expect(try await ledger.jobs(LedgerFilter(limit: 1000)).jobs.count == 1000)
        #expect(try await ledger.status(of: "client-app-\(limit)").backlog == 0)
        #expect(try await ledger.status(of: "client-app-0").backlog == 1)
    }

    @Test func `it is served from the next batch on, shown, not to be changed by people, and can be removed`()
        async throws
    {
        let house = try await APIHouse()
        try await house.notifier.handle([.job(Self.job("app"), maybeRepeated: false)])()
        try await until { house.delegates.served.contains { $0.name == "client-app" } }
        try await house.with { client in
            let shown = try await client.ask(.get, "/v1/delegates/client-app")
            #expect(try shown.json["client"] as? String == "app")
            #expect(try shown.json["kind"] as? String == "queue")
            #expect(try shown.json["origin"] as? String == "registration")
            let taken = try await client.ask(.post, "/v1/delegates", body: #"{"name": "client-b", "kind": "queue"}"#)
            #expect(taken.status == 409)
            let changed = try await client.ask(.patch, "/v1/delegates/client-app", body: #"{"ordered": false}"#)
            #expect(changed.status == 409)
            let removed = try await client.ask(.delete, "/v1/delegates/client-app")
            #expect(removed.status == 200)
        }
        try await house.notifier.handle([Sample.event(.completed, Self.job("app"))])()
        try await until { house.delegates.served.contains { $0.name == "client-app" } }
    }

    @Test func `names fit the rules and no two apps share one`() throws {
        let long = String(repeating: "a", count: 64)
        let identifiers = [
            "a", String(long.dropLast(8)), String(long.dropLast(7)), long, String(long.dropLast()) + "b",
        ]
        let names = identifiers.compactMap(ClientDelegate.name)
        #expect(Set(names).count == identifiers.count)
        for name in names {
            #expect(throws: Never.self) { try QueueName(name) }
            #expect(ClientDelegate.isName(name))
        }
        #expect(ClientDelegate.name(of: "a") == "client-a")
        #expect(ClientDelegate.name(of: "A") == nil && ClientDelegate.name(of: "") == nil)
    }
}
