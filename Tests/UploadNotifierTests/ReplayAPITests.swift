import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import Uploads

@testable import UploadNotifier

@Suite(.timeLimit(.minutes(10))) struct ReplayAPITests {
    private func letter(
        _ body: String, _ reason: String = "no JSON", type: String? = "upload.job.v1", job: JobID? = nil,
        replayOf: Int64? = nil
    ) -> NotifierMessage {
        .unreadable(
            Data(body.utf8), reason: reason,
            envelope: MessageEnvelope(
                type: type, contentType: "application/json", messageID: job?.rawValue, headers: ["tenant": "hidden"],
                queue: "upload.notifier.0", exchange: "", routingKey: "upload.notifier.0", replayOf: replayOf))
    }

    @Test func `a letter is published unchanged, recorded with operator and time, and not twice`() async throws {
        let house = try await APIHouse()
        try await house.record([letter("{")])
        try await house.with { client in
            let shown = try await client.ask(.get, "/v1/dead-letters/1")
            #expect(try shown.json["status"] as? String == "waiting" && !shown.text.contains("hidden"))
            #expect(try shown.json["headers"] as? [String] == ["tenant"])
            let replayed = try await client.ask(.post, "/v1/dead-letters/1/replay", body: #"{"by": "jo@here"}"#)
            #expect(try replayed.status == 200 && replayed.json["done"] as? Bool == true, "\(replayed.text)")
            let after = try await client.ask(.get, "/v1/dead-letters/1").json
            #expect(after["status"] as? String == "replayed" && after["replayedBy"] as? String == "jo@here")
            #expect(after["replayedAt"] is String)
            let again = try await client.ask(.post, "/v1/dead-letters/1/replay")
            #expect(again.status == 409 && again.problem == "refused" && again.text.contains("jo@here"))
            #expect(try await client.ask(.post, "/v1/dead-letters/2/replay").status == 404)
            for body in ["[]", #"{"by": ""}"#, #"{"by": 1}"#, #"{"who": "jo"}"#] {
                #expect(try await client.ask(.post, "/v1/dead-letters/1/replay", body: body).status == 400, "\(body)")
            }
        }
        #expect(house.operations.replays.map(\.body) == [Data("{".utf8)])
    }

    @Test func `a letter without the broker's confirm still waits`() async throws {
        let house = try await APIHouse()
        try await house.record([letter("{"), letter("[")])
        house.operations.fail(UploadError(.networkFailure, "the broker is away"))
        try await house.with { client in
            let away = try await client.ask(.post, "/v1/dead-letters/1/replay")
            #expect(away.status == 503 && away.problem == "unavailable")
            let all = try await client.ask(.post, "/v1/dead-letters/replay", body: #"{"filter": {}, "atMost": 9}"#)
            #expect(all.status == 503)
            let waiting = try await client.ask(.get, "/v1/dead-letters?status=waiting").json
            #expect((waiting["deadLetters"] as? [Any])?.count == 2)
            house.operations.fail(nil)
            let back = try await client.ask(.post, "/v1/dead-letters/replay", body: #"{"filter": {}, "atMost": 9}"#)
            #expect(try back.status == 200 && back.json["done"] as? Int == 2)
        }
        #expect(house.operations.replays.map(\.id) == [1, 2])
    }

    @Test func `many letters are chosen by a filter with a bound, or by their numbers`() async throws {
        let house = try await APIHouse()
        try await house.record(
            (0..<150).map { letter("{\($0)") } + [letter("?", "Foreign", type: "theirs"), letter("!", type: nil)])
        try await house.with { client in
            func replay(_ body: String) async throws -> APIReply {
                try await client.ask(.post, "/v1/dead-letters/replay", body: body)
            }
            let many = try await replay(#"{"filter": {}, "atMost": 10}"#)
            #expect(
                try many.status == 409 && many.problem == "too-many-letters" && many.json["matched"] as? Int == 152)
            #expect(house.operations.replays.isEmpty)
            let foreign = try await replay(#"{"filter": {"reason": "foreign"}, "atMost": 1}"#)
            #expect(try foreign.json["done"] as? Int == 1)
            let named = try await replay(#"{"ids": [151, 152, 999]}"#).json
            let results = try #require(named["deadLetters"] as? [[String: Any]])
            #expect(results.map { $0["done"] as? Bool } == [false, true, false])
            // A machine may be too slow to publish all of them within one request; then the test asks again.
            var jobs = try await replay(#"{"filter": {"type": "upload.job.v1"}, "atMost": 1000}"#)
            while jobs.status == 503 {
                jobs = try await replay(#"{"filter": {"type": "upload.job.v1"}, "atMost": 1000}"#)
            }
            #expect(try jobs.json["done"] as? Int == jobs.json["matched"] as? Int)
            var seen: Set<Int64> = [151, 152]
            #expect(
                house.operations.replays.map(\.id).filter { seen.insert($0).inserted } == Array(1...150),
                "the oldest first")
            let none = try await replay(#"{"filter": {}, "atMost": 1}"#)
            #expect(try none.status == 200 && none.json["matched"] as? Int == 0)
            let listed = try await client.ask(.get, "/v1/dead-letters?status=replayed&type=theirs").json
            #expect((listed["deadLetters"] as? [[String: Any]])?.map { $0["id"] as? Int } == [151])
        }
    }

    @Test(arguments: [
        "{}", #"{"filter": {}}"#, #"{"filter": {}, "atMost": 0}"#, #"{"filter": {}, "atMost": 1001}"#,
        #"{"filter": {"typ": "x"}, "atMost": 1}"#, #"{"filter": {"since": "now"}, "atMost": 1}"#,
        #"{"filter": {"type": ""}, "atMost": 1}"#, #"{"ids": []}"#, #"{"ids": [-1]}"#, #"{"ids": ["1"]}"#,
        #"{"ids": [1, 1]}"#, #"{"ids": [1], "filter": {}, "atMost": 1}"#, #"{"ids": 1}"#, "[]", "",
    ])
    func `a choice that cannot be read is refused`(body: String) async throws {
        let house = try await APIHouse()
        try await house.record([letter("{")])
        try await house.with { client in
            let reply = try await client.ask(.post, "/v1/dead-letters/replay", body: body)
            #expect(reply.status == 400 && reply.problem == "invalid-request", "\(reply.text)")
        }
        #expect(house.operations.replays.isEmpty)
    }

    @Test func `a job that has ended, or was issued anew, is not published again`() async throws {
        let house = try await APIHouse()
        let (ended, running) = (Sample.job(key: "a"), Sample.job(key: "b"))
        try await house.record([
            .job(ended, maybeRepeated: false), Sample.event(.completed, ended), .job(running, maybeRepeated: false),
            Sample.event(.started, running, generation: 3), letter("{", job: ended.id), letter("{", job: running.id),
            letter(#"{"round": 2, "generation": 4, "job": {"id": "\#(ended.id)"}}"#, type: "upload.baton.v1"),
            letter(#"{"generation": 3, "job": {"id": "\#(running.id)"}}"#, type: "upload.baton.v1"),
        ])
        try await house.with { client in
            let first = try await client.ask(.post, "/v1/dead-letters/1/replay")
            #expect(first.status == 409 && first.text.contains("uploadctl run --again \(ended.id)"), "\(first.text)")
            let second = try await client.ask(.post, "/v1/dead-letters/2/replay")
            #expect(second.status == 409 && second.text.contains("issued anew"), "\(second.text)")
            #expect(try await client.ask(.post, "/v1/dead-letters/3/replay").status == 200)
            #expect(try await client.ask(.post, "/v1/dead-letters/4/replay").status == 200)
        }
        #expect(house.operations.replays.map(\.id) == [3, 4])
    }

    @Test func `a body that is no text is kept to the byte and shown as bytes`() async throws {
        let house = try await APIHouse()
        let body = Data([0xFF, 0x00, 0x1B, 0x5B]) + Data(repeating: 7, count: 500)
        try await house.record([.unreadable(body, reason: "no JSON", envelope: MessageEnvelope(type: "theirs"))])
        try await house.with { client in
            let shown = try await client.ask(.get, "/v1/dead-letters/1").json
            #expect(shown["bodyEncoding"] as? String == "hex" && shown["bytes"] as? Int == 504)
            #expect((shown["body"] as? String)?.hasPrefix("ff 00 1b 5b 07") == true)
            #expect(try await client.ask(.post, "/v1/dead-letters/1/replay").status == 200)
        }
        #expect(house.operations.replays.first?.body == body)
    }

    @Test func `a letter that comes back is a new letter, also before the replay is recorded`() async throws {
        let house = try await APIHouse()
        try await house.record([letter("{"), letter("{")])
        try await house.record([letter("{", replayOf: 1), letter("{", replayOf: 1)])
        let found = try await house.ledger.unreadable(before: nil, limit: 10)
        #expect(found.map(\.envelope?.replayOf) == [1, nil])
        #expect(try await house.ledger.noteReplayed(1, at: Sample.start, by: "jo"))
        #expect(try await !house.ledger.noteReplayed(1, at: Sample.start, by: "jo"))
        // If its producer sends the same message again, it is a new letter; a number is never used twice.
        let back = try #require(found.first?.id)
        #expect(try await house.ledger.discardUnreadable(back))
        try await house.record([letter("{")])
        let left = try await house.ledger.unreadable(before: nil, limit: 10)
        #expect(left.count == 2 && left[0].id > back && left[0].envelope?.replayOf == nil && left[1].id == 1)
    }

    @Test func `a place in line is given by one of three words, and refused where there is none`() async throws {
        let house = try await APIHouse()
        let jobs = (0..<4).map { key in
            var job = Sample.job(key: "\(key)")
            job.serial = .end
            return job
        }
        let free = Sample.job(key: "free")
        try await house.record((jobs + [free]).map { .job($0, maybeRepeated: false) })
        try await house.with { client in
            func move(_ job: UploadJob, _ body: String, query: String = "") async throws -> APIReply {
                try await client.ask(.post, "/v1/jobs/\(job.id)/move\(query)", body: body)
            }
            #expect(try await move(jobs[3], #"{"to": 0}"#).status == 200)
            #expect(try await move(jobs[1], #"{"after": "\#(jobs[2].id)"}"#).status == 200)
            let line = try await client.ask(.get, "/v1/queues/default/line").json
            let entries = try #require(line["line"] as? [[String: Any]])
            let ids = entries.compactMap { ($0["job"] as? [String: Any])?["id"] as? String }
            #expect(ids == [0, 3, 2, 1].map { jobs[$0].id.rawValue })
            #expect(entries[0]["position"] is NSNull && entries[3]["position"] as? Int == 2)
            let story = try await client.ask(.get, "/v1/jobs/\(jobs[2].id)").json
            let place = try #require(story["line"] as? [String: Any])
            #expect(place["position"] as? Int == 1 && place["behind"] as? String == jobs[3].id.rawValue)
            let why = (story["explanation"] as? [String: Any])?["text"] as? String
            #expect(why?.contains("second of 3") == true, "\(why ?? "")")
            for (job, body) in [
                (jobs[0], #"{"to": 1}"#), (free, #"{"to": 1}"#), (jobs[1], #"{"before": "\#(jobs[0].id)"}"#),
            ] {
                let refused = try await move(job, body)
                #expect(refused.status == 409 && refused.problem == "refused", "\(refused.text)")
            }
            #expect(try await move(Sample.job(), #"{"to": 1}"#).status == 404)
            #expect(try await move(jobs[1], #"{"to": 0}"#, query: "?wait=0").status == 202)
            for body in [
                "{}", #"{"to": -1}"#, #"{"to": "0"}"#, #"{"to": 0.5}"#, #"{"to": 0, "after": "\#(jobs[2].id)"}"#,
                #"{"before": "x"}"#, #"{"place": 1}"#, "[]", "",
            ] {
                #expect(try await move(jobs[1], body).status == 400, "\(body)")
            }
            #expect(try await client.ask(.get, "/v1/queues/none/line").status == 404)
            #expect(try await client.ask(.get, "/v1/queues/default/line?after=x").status == 400)
        }
    }
}
