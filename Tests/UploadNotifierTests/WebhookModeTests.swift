import Foundation
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// Requests are read by the CloudEvents and Standard Webhooks libraries for Python.
@Suite("Webhook modes", .timeLimit(.minutes(10)))
struct WebhookModeTests {
    private static let secret = "whsec_" + Data(repeating: 42, count: 32).base64EncodedString()
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private let outcome = {
        var event = UploadEvent(
            outcome: .completed(StoredObject(location: "https://there/a", size: 5), response: nil),
            of: Baton(job: Sample.job()), at: Sample.start
        ).asOutcome
        event.trace = TraceParent(Self.trace)
        return event
    }()

    private struct Given: Encodable {
        let secret: String
        let body: String
        let headers: [String: String]
    }

    /// The event that the libraries read; they raise when the signature, the headers or the body violate their standards.
    private func read(_ request: HookServer.Request) async throws -> JSONValue {
        let given = Given(secret: Self.secret, body: request.body, headers: request.headers)
        let script = """
            import json, sys
            from cloudevents.core.bindings.http import HTTPMessage, from_http
            from cloudevents.core.formats.json import JSONFormat
            from standardwebhooks import Webhook
            given = json.loads(sys.argv[1])
            Webhook(given["secret"]).verify(given["body"], given["headers"])
            event = from_http(HTTPMessage(headers=given["headers"], body=given["body"].encode()), JSONFormat())
            print(json.dumps({
                "id": event.get_id(), "type": event.get_type(), "source": event.get_source(),
                "subject": event.get_subject(), "specversion": event.get_specversion(),
                "time": event.get_time().timestamp(),
                "traceparent": event.get_extension("traceparent"), "data": event.get_data()}))
            """
        let text = String(decoding: try JSONEncoder().encode(given), as: UTF8.self)
        let output = try await Spawn.output(of: "/usr/bin/env", ["python3", "-c", script, text])
        return try WireJSON.decode(JSONValue.self, from: Data(output.text.utf8))
    }

    private func deliver(
        _ mode: WebhookConfiguration.Mode, mapping: FieldMapping? = nil
    ) async throws -> (HookServer.Request, JSONValue) {
        let server = try await HookServer()
        let configuration = WebhookConfiguration(url: server.url("a/200"), secrets: [Self.secret], mode: mode)
        let delegate = try WebhookDelegate(
            name: "billing", configuration, mapping: mapping, allowNetworks: [try NetworkRange("127.0.0.0/8")],
            logger: quiet)
        let answer = try await delegate.deliver(outcome)
        #expect(answer?.status == 200)
        #expect(answer?.body == "hello")
        let request = try #require(try await server.requests(1).first)
        return (request, try await read(request))
    }

    @Test(arguments: WebhookConfiguration.Mode.allCases)
    func `a signed CloudEvent says the same in both modes`(mode: WebhookConfiguration.Mode) async throws {
        let (request, event) = try await deliver(mode)
        #expect(event["id"] == .string(outcome.id))
        #expect(event["type"] == "upload.completed")
        #expect(event["source"] == "/queues/default")
        #expect(event["subject"] == .string(outcome.job.id.rawValue))
        #expect(event["specversion"] == "1.0")
        #expect(event["traceparent"] == .string(Self.trace))
        #expect(event["data"]?["object"]?["location"] == "https://there/a")
        #expect(event["data"]?["job"]?["size"] == 5)
        #expect(request.headers["webhook-id"] == outcome.id)
        let isBinary = mode == .binary
        #expect(request.headers.keys.contains("ce-id") == isBinary)
        #expect(
            request.headers["content-type"]
                == (isBinary ? "application/json" : "application/cloudevents+json; charset=utf-8"))
    }

    @Test(arguments: WebhookConfiguration.Mode.allCases)
    func `a receiver gets the names that it knows, in an event that is still one`(
        mode: WebhookConfiguration.Mode
    ) async throws {
        let mapping = try FieldMapping(["fileId": "subject", "url": "data.object.location", "ok": "=true"])
        let (request, event) = try await deliver(mode, mapping: mapping)
        let expected: JSONValue = [
            "fileId": .string(outcome.job.id.rawValue), "url": "https://there/a", "ok": true,
        ]
        #expect(event["data"] == expected)
        #expect(event["id"] == .string(outcome.id))
        if mode == .binary {
            #expect(try WireJSON.decode(JSONValue.self, from: Data(request.body.utf8)) == expected)
        }
    }
}
