import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import Uploads

@testable import UploadNotifier

/// What a list shows, and what an order with the same words is about.
@Suite(.timeLimit(.minutes(10))) struct JobFilterAPITests {
    private static let ended = "2026-01-01T00:00:00Z"

    /// A house with failed jobs, one completed job and one that is queued.
    private func makeHouse() async throws -> (APIHouse, [UploadJob]) {
        let house = try await APIHouse()
        let jobs = (0..<6).map { number in
            var job = Sample.job(key: "key\(number)")
            job.client = number % 2 == 0 ? "gallery" : nil
            return job
        }
        let time = try #require(WireJSON.date(Self.ended))
        let codes: [UploadError.Code] = [.accessDenied, .accessDenied, .noSpace, .accessDenied]
        var messages = zip(jobs, codes).enumerated().map { number, pair in
            NotifierMessage.event(
                UploadEvent(
                    outcome: .failed(UploadError(pair.1, "no"), state: nil), of: Baton(job: pair.0),
                    at: time + Double(number)))
        }
        messages.append(.event(UploadEvent(kind: .completed, of: Baton(job: jobs[4]), at: time)))
        messages.append(.job(jobs[5], maybeRepeated: false))
        try await house.record(messages)
        return (house, jobs)
    }

    @Test(arguments: [
        ("error=accessDenied", [0, 1, 3]), ("error=noSpace", [2]), ("error=unknown", []),
        ("client=gallery", [0, 2, 4]), ("error=accessDenied&client=gallery", [0]),
        ("endedSince=2026-01-01T00:00:01Z", [1, 2, 3]),
        ("endedSince=2026-01-01T00:00:01Z&endedUntil=2026-01-01T00:00:03Z", [1, 2]),
        ("endedUntil=2026-01-01T00:00:01Z&status=completed,queued", [4]), ("text=key3", [3]),
    ])
    func `a list shows the jobs that match, and a dry run counts them`(query: String, wanted: [Int]) async throws {
        let (house, jobs) = try await makeHouse()
        var filter: [String: JSONValue] = [
            "statuses": .array(LedgerStatus.allCases.map { .string($0.rawValue) })
        ]
        for part in query.split(separator: "&") {
            let (name, value) = (part.prefix { $0 != "=" }, part.drop { $0 != "=" }.dropFirst())
            if name == "status" {
                filter["statuses"] = .array(value.split(separator: ",").map { .string(String($0)) })
            } else {
                filter[String(name)] = .string(String(value))
            }
        }
        let body = try WireJSON.encode(
            JSONValue.object(["verb": "runAgain", "filter": .object(filter), "dryRun": true]))
        try await house.with { client in
            let page = try await client.ask(.get, "/v1/jobs?\(query)").json
            let found = (page["jobs"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            #expect(Set(found) == Set(wanted.map { jobs[$0].id.rawValue }))
            let answer = try await client.ask(.post, "/v1/orders", body: String(decoding: body, as: UTF8.self))
            #expect(answer.status == 200, "\(answer.text)")
            let said = try answer.json
            #expect(said["matched"] as? Int == wanted.count && said["done"] as? Int == 0)
            #expect(said["dryRun"] as? Bool == true && (said["jobs"] as? [Any])?.isEmpty == true)
        }
        #expect(house.operations.orders.isEmpty)
        #expect(try await house.ledger.counts() == [.failed: 4, .completed: 1, .queued: 1])
    }

    @Test func `the order that was asked about is about these jobs`() async throws {
        let (house, jobs) = try await makeHouse()
        try await house.with { client in
            func order(_ rest: String) async throws -> APIReply {
                try await client.ask(
                    .post, "/v1/orders",
                    body: #"{"verb": "runAgain", "filter": {"error": "accessDenied", "client": "gallery"}, \#(rest)}"#)
            }
            #expect(try await order(#""atMost": 3, "dryRun": true"#).json["matched"] as? Int == 1)
            let given = try await order(#""atMost": 3"#).json
            #expect(given["matched"] as? Int == 1 && given["dryRun"] == nil)
            let ids = (given["jobs"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            #expect(ids == [jobs[0].id.rawValue])
        }
    }

    @Test func `failed jobs are grouped by what they have in common`() async throws {
        let (house, jobs) = try await makeHouse()
        try await house.with { client in
            let all = try await client.ask(.get, "/v1/failures")
            let groups = try #require(try all.json["failures"] as? [[String: Any]])
            #expect(groups.map { $0["jobs"] as? Int } == [3, 1])
            #expect(groups.map { $0["error"] as? String } == ["accessDenied", "noSpace"])
            #expect(groups.map { $0["newest"] as? String } == [3, 2].map { jobs[$0].id.rawValue })
            #expect(groups[0]["firstEndedAt"] as? String == "2026-01-01T00:00:00.000Z")
            #expect(!all.text.contains("hidden"))
            let late = try await client.ask(.get, "/v1/failures?since=2026-01-01T00:00:02Z&queue=default").json
            #expect((late["failures"] as? [[String: Any]])?.map { $0["jobs"] as? Int } == [1, 1])
            let none = try await client.ask(.get, "/v1/failures?queue=other").json
            #expect((none["failures"] as? [Any])?.isEmpty == true)
            #expect(try await client.ask(.get, "/v1/failures?since=2h").status == 400)
        }
    }

    @Test func `what has no meaning is refused`() async throws {
        let (house, jobs) = try await makeHouse()
        try await house.with { client in
            for query in ["error=denied", "endedSince=2h", "error=noSpace&error=unknown", "client="] {
                #expect(try await client.ask(.get, "/v1/jobs?\(query)").status == 400, "\(query)")
            }
            for rest in [
                #""jobs": ["\#(jobs[0].id)"], "dryRun": true"#, #""filter": {}, "dryRun": "yes""#,
                #""filter": {}, "dryRun": false"#, #""filter": {"error": "denied"}, "dryRun": true"#,
                #""filter": {"text": "ab"}, "dryRun": true"#, #""filter": {"ended": "now"}, "dryRun": true"#,
            ] {
                let reply = try await client.ask(.post, "/v1/orders", body: #"{"verb": "cancel", \#(rest)}"#)
                #expect(reply.status == 400, "\(rest): \(reply.text)")
            }
        }
        #expect(house.operations.orders.isEmpty)
    }
}
