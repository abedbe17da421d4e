import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import UploadTesting
import Uploads

@testable import UploadNotifier

/// Damaged bodies and queries: each is answered with a client error, or obeyed.
@Suite(.timeLimit(.minutes(600))) struct APIFuzzTests {
    private static let requests: [(HTTPRequest.Method, path: String, body: JSONValue)] = {
        let job = FuzzSamples.job.id.rawValue
        return [
            (
                .post, "/v1/orders",
                ["verb": "pause", "filter": ["queue": "default", "statuses": ["queued"]], "atMost": 5, "by": "jo"]
            ),
            (
                .post, "/v1/orders",
                [
                    "verb": "runAgain", "dryRun": true,
                    "filter": [
                        "error": "noSpace", "client": "app", "text": "cat", "key": "k",
                        "since": "2026-11-21T08:00:00Z", "endedUntil": "2026-11-21T08:00:00Z",
                    ],
                ]
            ),
            (.post, "/v1/orders", ["verb": "cancel", "jobs": [.string(job)], "by": "jo"]),
            (.post, "/v1/jobs/\(job)/move", ["to": 3, "by": "jo"]),
            (.post, "/v1/jobs/\(job)/pause", ["by": "jo"]),
            (.post, "/v1/dead-letters/replay", ["filter": ["reason": "a", "type": "b"], "atMost": 5, "by": "jo"]),
            (
                .post, "/v1/delegates",
                [
                    "name": "hook", "kind": "webhook", "url": "http://127.0.0.1:9/in", "types": ["completed"],
                    "concurrency": 2,
                    "timeoutSeconds": 5, "ordered": true,
                ]
            ),
            (
                .post, "/v1/jobs?wait=0",
                [
                    "source": ["kind": "inline", "data": "aGVsbG8="], "destination": ["name": "photos", "key": "a"],
                    "size": 5, "retry": ["maxAttempts": 3, "cap": 60], "properties": ["tags": ["a": "b"]],
                    "serial": ["index": 1], "metadata": ["a": "b"], "notBefore": "2026-11-21T08:00:00Z",
                ]
            ),
            (.patch, "/v1/delegates/hook", ["ordered": true, "concurrency": 4]),
            (.post, "/v1/delegates/hook/rotate-secret", ["overlapSeconds": 60]),
        ]
    }()
    private static let lists = ["/v1/jobs", "/v1/dead-letters", "/v1/deliveries", "/v1/queues", "/v1/delegates"]
    private static let names = [
        "limit", "after", "before", "status", "queue", "batch", "text", "since", "until", "order", "reason", "error",
        "client", "endedSince", "endedUntil",
    ]

    @Test func `no body and no query ends in an error of the server`() async throws {
        let house = try await APIHouse()
        try await house.record([.job(FuzzSamples.job, maybeRepeated: false)])
        try await house.with { client in
            var fuzz = Fuzz(for: "bodies and queries of the HTTP API")
            for input in 0..<max(1, Fuzz.inputCount / 4) {
                let (method, path, body) = fuzz.pick(Self.requests)
                let text = String(decoding: try fuzz.damaged(body), as: UTF8.self)
                let reply = try await client.ask(method, path, body: text)
                #expect(
                    reply.status < 500,
                    "seed \(fuzz.seed), input \(input): \(method) \(path) \(text.prefix(2000)): \(reply.text)")
                let query = (0..<2).map { _ in "\(fuzz.pick(Self.names))=\(Self.escaped(fuzz.text().prefix(300)))" }
                let uri = "\(fuzz.pick(Self.lists))?\(query.joined(separator: "&"))"
                let list = try await client.ask(.get, uri)
                #expect(list.status < 500, "seed \(fuzz.seed), input \(input): \(uri): \(list.text)")
            }
            // A correct request is obeyed after any damaged ones.
            let right = try await client.ask(.get, "/v1/jobs/\(FuzzSamples.job.id)")
            #expect(right.status == 200)
        }
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
