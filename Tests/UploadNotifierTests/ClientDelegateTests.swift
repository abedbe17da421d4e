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
    private static func job(_ client: String) -> UploadJob {
        var job = Sample.job()
        job.client = client
        return job
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
