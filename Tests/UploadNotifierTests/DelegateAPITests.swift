import Foundation
import Hummingbird
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Delegates over the API", .timeLimit(.minutes(10)))
struct DelegateAPITests {
    private static let secret = "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()
    private static let hook = #"{"name": "billing", "kind": "webhook", "url": "https://hooks.example/in?token=hidden"}"#

    @Test func `a made secret is shown once; no secret is shown again or logged`() async throws {
        let lines = Lines()
        let house = try await APIHouse(logger: lines.logger)
        try await house.with { client in
            let created = try await client.ask(.post, "/v1/delegates", body: Self.hook)
            #expect(created.status == 201)
            #expect(created.headers[.location] == "/v1/delegates/billing")
            let made = try #require(try created.json["secret"] as? String)
            #expect(WebhookSecret(made).problem == nil)
            let given = try await client.ask(
                .post, "/v1/delegates",
                body: #"{"name": "b", "kind": "webhook", "url": "https://b.example/", "secret": "\#(Self.secret)"}"#)
            #expect(given.status == 201)
            #expect(try given.json["secret"] == nil)
            let rotated = try await client.ask(.post, "/v1/delegates/billing/rotate-secret", body: "{}")
            let next = try #require(try rotated.json["secret"] as? String)
            #expect(next != made)
            #expect(try rotated.json["oldSecretUntil"] != nil)
            let changed = try await client.ask(.patch, "/v1/delegates/billing", body: #"{"ordered": true}"#)
            let list = try await client.ask(.get, "/v1/delegates")
            let shown = try await client.ask(.get, "/v1/delegates/billing")
            #expect(try shown.json["hasSecret"] as? Bool == true)
            #expect(try shown.json["ordered"] as? Bool == true)
            #expect(try shown.json["origin"] as? String == "registration")
            #expect(try shown.json["target"] as? String == "https://hooks.example/in")
            let refused = try await client.ask(
                .post, "/v1/delegates",
                body: #"{"name": "c", "kind": "webhook", "url": "https://b.example/", "secret": "whsec_c2hvcnQ="}"#)
            #expect(refused.status == 400)
            for text in [given, changed, list, shown, refused].map(\.text) + lines.lines {
                for secret in [made, next, Self.secret, "c2hvcnQ=", "hidden"] {
                    #expect(!text.contains(secret), "\(text)")
                }
            }
        }
        #expect(lines.lines.contains { $0.hasPrefix("notice delegate is registered") })
    }

    @Test func `a wrong definition is a problem that names the fields`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            for (body, pointers) in [
                (#"{"name": "A", "kind": "queue"}"#, ["#/name"]), (#"{"name": "a"}"#, ["#/kind"]),
                (#"{"name": "a", "kind": "webhook", "url": "http://127.0.0.1/"}"#, ["#/url"]),
                (#"{"name": "a", "kind": "queue", "concurrency": 101, "ordered": 1}"#, ["#/ordered", "#/concurrency"]),
                (#"{"name": "a", "kind": "queue", "secret": "x"}"#, ["#/secret"]),
            ] {
                let reply = try await client.ask(.post, "/v1/delegates", body: body)
                #expect(reply.status == 400 && reply.problem == "invalid-request", "\(reply.text)")
                let errors = try reply.json["errors"] as? [[String: String]]
                #expect(errors?.compactMap { $0["pointer"] } == pointers, "\(reply.text)")
            }
            for body in [#"{"name": "a", "kind": "queue", "x": 1}"#, #"{"name": "a", "kind": null}"#, "[]", "{"] {
                #expect(try await client.ask(.post, "/v1/delegates", body: body).status == 400)
            }
            #expect(try await client.ask(.post, "/v1/delegates", body: Self.hook).status == 201)
            let twice = try await client.ask(.post, "/v1/delegates", body: Self.hook)
            #expect(twice.status == 409 && twice.problem == "refused")
            for body in [
                #"{"name": "x"}"#, #"{"secret": "x"}"#, #"{"url": null}"#, #"{"mode": "x"}"#,
                #"{"url": "http://10.0.0.1/"}"#, #"{"caFile": "/etc/passwd"}"#,
            ] {
                let reply = try await client.ask(.patch, "/v1/delegates/billing", body: body)
                #expect(reply.status == 400, "\(body): \(reply.text)")
                #expect(try reply.json["errors"] != nil)
            }
            let kind = try await client.ask(.patch, "/v1/delegates/billing", body: #"{"kind": "queue"}"#)
            #expect(kind.status == 409 && kind.problem == "refused" && kind.text.contains("#/kind"))
            #expect(
                try await client.ask(.post, "/v1/delegates", body: #"{"name": "q", "kind": "queue"}"#).status == 201)
            let mode = try await client.ask(.patch, "/v1/delegates/q", body: #"{"mode": "binary"}"#)
            #expect(mode.status == 409 && mode.problem == "refused" && mode.text.contains("#/mode"))
            let text = try await client.ask(
                .patch, "/v1/delegates/billing", headers: [.contentType: "text/plain"], body: "{}")
            #expect(text.status == 415)
            #expect(try await client.ask(.patch, "/v1/delegates/none", body: "{}").status == 404)
            #expect(
                try await client.ask(.post, "/v1/delegates/billing/rotate-secret", body: #"{"overlapSeconds": -1}"#)
                    .status == 400)
        }
    }

    @Test func `a delegate of the configuration cannot be changed here, and its name is taken`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            for reply in [
                try await client.ask(.patch, "/v1/delegates/hook", body: "{}"),
                try await client.ask(.delete, "/v1/delegates/hook"),
                try await client.ask(.post, "/v1/delegates/hook/rotate-secret", body: "{}"),
            ] {
                #expect(reply.status == 409 && reply.problem == "refused")
                #expect(reply.text.contains("delegates.hook"))
            }
            let taken = try await client.ask(.post, "/v1/delegates", body: #"{"name": "hook", "kind": "queue"}"#)
            #expect(taken.status == 409 && taken.text.contains("configuration"))
            #expect(try await client.ask(.get, "/v1/delegates/hook").json["origin"] as? String == "configuration")
        }
    }

    @Test
    func `one hears of what ends from its registration on, of before by a replay, and of nothing when it is gone`()
        async throws
    {
        let house = try await APIHouse()
        let (before, after) = (Sample.job(key: "before"), Sample.job(key: "after"))
        _ = try await house.notifier.recordForRoutes([Sample.event(.completed, before)])
        try await house.with { client in
            let crm = try await client.ask(
                .post, "/v1/delegates", body: #"{"name": "crm", "kind": "queue", "fields": {"file": "subject"}}"#)
            #expect(crm.status == 201)
            _ = try await house.notifier.recordForRoutes([Sample.event(.completed, after)])
            #expect(try await client.ask(.get, "/v1/delegates/crm").json["backlog"] as? Int == 1)
            let told = try await client.ask(
                .post, "/v1/delegates/crm/replay?from=2001-01-01T00:00:00Z&to=2099-01-01T00:00:00Z")
            #expect(try told.json["count"] as? Int == 2)
            #expect(try await client.ask(.get, "/v1/delegates/crm").json["backlog"] as? Int == 2)

            let refused = try await client.ask(.delete, "/v1/delegates/crm")
            #expect(refused.status == 409 && refused.problem == "has-backlog")
            #expect(try refused.json["backlog"] as? Int == 2)
            #expect(try await client.ask(.delete, "/v1/delegates/crm?discard=maybe").status == 400)
            let removed = try await client.ask(.delete, "/v1/delegates/crm?discard=true")
            #expect(removed.status == 200)
            #expect(try removed.json["forgotten"] as? Int == 2)
            #expect(try await client.ask(.get, "/v1/delegates/crm").status == 404)
            _ = try await house.notifier.recordForRoutes([Sample.event(.completed, Sample.job(key: "late"))])
            #expect(try await house.ledger.status(of: "crm").backlog == 0)
            #expect(try await house.ledger.status(of: "hook").backlog == 3)
            // Its name is free again.
            #expect(
                try await client.ask(.post, "/v1/delegates", body: #"{"name": "crm", "kind": "queue"}"#).status == 201)
            #expect(try await client.ask(.delete, "/v1/delegates/crm").status == 200)
        }
    }

    @Test func `another start serves registered delegates again, and a configured one of the same name goes before`()
        async throws
    {
        let house = try await APIHouse()
        try await house.with { client in
            for name in ["crm", "audit"] {
                let reply = try await client.ask(
                    .post, "/v1/delegates", body: #"{"name": "\#(name)", "kind": "queue"}"#)
                #expect(reply.status == 201)
            }
        }
        let lines = Lines()
        let manager = DelegateManager(register: house.ledger, logger: lines.logger)
        let queues = house.queues
        let build: DelegateManager.Build = { (configuration) throws(UploadError) in
            try RegisteredDelegate(configuration, queues: queues, logger: quiet)
        }
        try await manager.configure([RegisteredDelegate(ScriptedDelegate("crm"))], build: build)
        #expect(manager.summaries.map(\.name) == ["audit", "crm"])
        #expect(manager.summaries.map(\.origin) == [.registration, .configuration])
        #expect(manager.summaries.map(\.hidesRegistered) == [false, true])
        #expect(manager.served.map(\.name) == ["crm", "audit"])
        #expect(lines.lines.contains { $0.contains("registered as well") })
        await #expect(throws: APIProblem.self) { try await manager.remove("crm", discarding: true) }
        // Without the one of the configuration, the registered one is served.
        try await manager.configure([], build: build)
        #expect(manager.summaries.map(\.origin) == [.registration, .registration])
        #expect(manager.served.map(\.name) == ["audit", "crm"])
    }

    @Test func `the next start completes a removal that a crash interrupted`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            let reply = try await client.ask(.post, "/v1/delegates", body: #"{"name": "crm", "kind": "queue"}"#)
            #expect(reply.status == 201)
        }
        _ = try await house.notifier.recordForRoutes([Sample.event(.completed, Sample.job())])
        #expect(try await house.ledger.unregister("crm", discarding: true, at: Sample.start) == 1)
        let manager = DelegateManager(register: house.ledger, logger: quiet)
        try await manager.configure([]) { (configuration) throws(UploadError) in
            try RegisteredDelegate(configuration, queues: MemoryQueues(), logger: quiet)
        }
        #expect(manager.summaries.isEmpty)
        #expect(try await house.ledger.registrations().isEmpty)
        #expect(try await house.ledger.status(of: "crm").backlog == 0)
    }

    @Test func `outcomes that an interrupted removal has left do not go to the next delegate of the name`() async throws
    {
        let house = try await APIHouse()
        try await house.ledger.register(
            DelegateRegistration(name: "crm", definition: Data("{}".utf8), createdAt: Sample.start))
        _ = try await house.ledger.record(
            [Sample.event(.completed, Sample.job())], view: ControlView(), routes: [DeliveryRoute(delegate: "crm")],
            now: Sample.start)
        #expect(try await house.ledger.unregister("crm", discarding: true, at: Sample.start) == 1)
        try await house.with { client in
            let reply = try await client.ask(.post, "/v1/delegates", body: #"{"name": "crm", "kind": "queue"}"#)
            #expect(reply.status == 201)
            #expect(try reply.json["backlog"] as? Int == 0)
        }
        #expect(try await house.ledger.registrations().map(\.removedAt) == [nil])
    }
}
