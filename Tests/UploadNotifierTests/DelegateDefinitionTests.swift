import Foundation
import Testing
import Uploads

@testable import UploadNotifier

@Suite("Definitions of registered delegates")
struct DelegateDefinitionTests {
    private let secret = WebhookSecret("whsec_" + Data(repeating: 7, count: 32).base64EncodedString())
    private let open = AddressGuard(allowed: [])

    private func problems(_ fields: [String: JSONValue]) -> [String] {
        do throws(DefinitionProblems) {
            _ = try DelegateDefinition(fields: fields).configuration(named: "a", addresses: open)
            return []
        } catch {
            return error.problems.map(\.field)
        }
    }

    @Test func `all that a configured webhook can have, a registered one can have`() throws {
        let definition = DelegateDefinition(
            fields: [
                "kind": "webhook", "url": "https://host.example/hook", "mode": "binary", "types": ["failed"],
                "queues": ["video"], "destinations": ["photos"], "batches": ["nightly"], "metadata": ["tier": "gold"],
                "fields": ["id": "subject", "done": "=true"], "ordered": true, "concurrency": 3,
                "timeoutSeconds": .number(2.5),
            ], secrets: [secret])
        let made = try definition.configuration(named: "a", addresses: open)
        var webhook = WebhookConfiguration(
            url: "https://host.example/hook", secrets: [secret.text], mode: .binary, timeout: 2.5)
        webhook.authorities = nil
        let expected = DelegateConfiguration(
            name: "a", kind: .webhook(webhook), types: [.failed],
            filter: DeliveryFilter(
                queues: ["video"], destinations: ["photos"], batches: ["nightly"], metadata: ["tier": "gold"]),
            mapping: try FieldMapping(["id": "subject", "done": "=true"]), isOrdered: true, concurrencyMaximum: 3)
        #expect(made == expected)
        let kept = try WireJSON.decode(DelegateDefinition.self, from: try WireJSON.encode(definition))
        #expect(kept == definition)
    }

    @Test func `everything that is wrong is named by its field`() {
        #expect(problems([:]) == ["kind"])
        #expect(problems(["kind": "log"]) == ["kind"])
        #expect(problems(["kind": "webhook"]) == ["url"])
        #expect(problems(["kind": "queue", "url": "https://host.example/", "mode": "binary"]) == ["mode", "url"])
        #expect(
            problems([
                "kind": "webhook", "url": "ftp://host.example/", "mode": "batched", "types": ["started"],
                "queues": ["A B"], "destinations": "photos", "metadata": ["tier": 1], "fields": ["id": "data..x"],
                "ordered": "yes", "concurrency": 0, "timeoutSeconds": 301,
            ]) == [
                "timeoutSeconds", "mode", "url", "types", "queues", "destinations", "metadata", "ordered",
                "concurrency", "fields",
            ])
        #expect(problems(["kind": "queue", "types": []]) == ["types"])
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://localhost:9/", "https://hooks.localhost/", "http://[::1]/", "http://2130706433/",
        "http://0x7f.1/", "http://10.1.2.3/", "http://169.254.169.254/latest", "http://[::ffff:127.0.0.1]/",
    ])
    func `an address that can never be reached is refused at once`(url: String) throws {
        #expect(problems(["kind": "webhook", "url": .string(url)]) == ["url"])
    }

    @Test func `an address of an allowed network, and any name, may be registered`() throws {
        let local = AddressGuard(allowed: [try NetworkRange("127.0.0.0/8")])
        for url in ["http://127.0.0.1:8080/", "http://localhost/", "https://hooks.example/", "https://9.9.9.9/"] {
            let definition = DelegateDefinition(
                fields: ["kind": "webhook", "url": .string(url)], secrets: [secret])
            #expect(throws: Never.self) { try definition.configuration(named: "a", addresses: local) }
        }
    }

    @Test func `a change merges as RFC 7396 says, and its result is read anew`() throws {
        let old = DelegateDefinition(
            fields: [
                "kind": "webhook", "url": "https://host.example/", "types": ["failed"],
                "metadata": ["a": "1", "b": "2"],
                "concurrency": 3,
            ], secrets: [secret])
        let new = old.merging(["types": .null, "metadata": ["b": .null, "c": "3"], "ordered": true])
        #expect(
            new.fields == [
                "kind": "webhook", "url": "https://host.example/", "metadata": ["a": "1", "c": "3"], "concurrency": 3,
                "ordered": true,
            ])
        #expect(new.secrets == [secret])
    }

    @Test func `a secret that is replaced signs until its time, and no longer than it was to`() throws {
        let now = Sample.start
        let two = WebhookSecret("whsec_" + Data(repeating: 8, count: 32).base64EncodedString())
        let three = WebhookSecret("whsec_" + Data(repeating: 9, count: 32).base64EncodedString())
        let first = DelegateDefinition(fields: [:], secrets: [secret])
        let second = try first.rotating(to: two, until: now.addingTimeInterval(100), at: now)
        #expect(second.secrets == [two, WebhookSecret(secret.text, until: now.addingTimeInterval(100))])
        let third = try second.rotating(to: three, until: now.addingTimeInterval(500), at: now.addingTimeInterval(50))
        #expect(third.secrets.map(\.until) == [nil, now.addingTimeInterval(500), now.addingTimeInterval(100)])
        let later = try third.rotating(to: secret, until: now.addingTimeInterval(900), at: now.addingTimeInterval(600))
        #expect(later.secrets.map(\.text) == [secret.text, three.text])
        let none = try later.rotating(to: two, until: now.addingTimeInterval(700), at: now.addingTimeInterval(700))
        #expect(none.secrets == [two])

        let signer = try WebhookSigner(secrets: second.secrets, of: "a")
        func count(_ time: Date) -> Int {
            signer.signature(id: "x", timestamp: Int(time.timeIntervalSince1970), body: Data()).split(separator: " ")
                .count
        }
        #expect(count(now.addingTimeInterval(99)) == 2)
        #expect(count(now.addingTimeInterval(100)) == 1)
    }

    @Test(arguments: [(23, false), (24, true), (64, true), (65, false)])
    func `a secret has 24 to 64 bytes`(count: Int, isGood: Bool) {
        let secret = WebhookSecret("whsec_" + Data(repeating: 1, count: count).base64EncodedString())
        #expect((secret.problem == nil) == isGood)
        #expect("\(secret) \(String(reflecting: secret))".contains("whsec") == false)
        #expect(WebhookSecret.generate().problem == nil)
        #expect(WebhookSecret.generate() != WebhookSecret.generate())
    }
}
