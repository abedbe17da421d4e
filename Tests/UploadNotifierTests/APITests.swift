import Foundation
import Hummingbird
import HummingbirdTesting
import Testing
import Uploads

@testable import UploadNotifier

@Suite(.timeLimit(.minutes(10))) struct APITests {
    @Test func `jobs are listed page by page, filtered, and shown without secrets`() async throws {
        let house = try await APIHouse()
        let jobs = (0..<5).map { Sample.job(key: "key\($0)") }
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.record([Sample.event(.paused, jobs[0])])
        try await house.with { client in
            let first = try await client.ask(.get, "/v1/jobs?limit=3")
            #expect(first.status == 200)
            #expect(!first.text.contains("hidden") && !first.text.contains("hello"))
            let next = try #require(try first.json["next"] as? String)
            let second = try await client.ask(.get, "/v1/jobs?limit=3&after=\(next)").json
            #expect((second["jobs"] as? [Any])?.count == 2)
            #expect(second["next"] is NSNull)
            let paused = try await client.ask(.get, "/v1/jobs?status=paused,waiting&queue=default").json
            let found = try #require(paused["jobs"] as? [[String: Any]])
            #expect(found.map { $0["id"] as? String } == [jobs[0].id.rawValue])
            #expect(found.first?["target"] as? String == "https://host.example/key0")
        }
    }

    @Test func `a listing by text goes on to its last page`() async throws {
        let house = try await APIHouse()
        let jobs = (0..<5).map { Sample.job(key: "key\($0)") }
        try await house.record(jobs.map { .job($0, maybeRepeated: false) })
        try await house.with { client in
            var ids: [String] = []
            var after = ""
            while ids.count <= jobs.count {
                let page = try await client.ask(.get, "/v1/jobs?limit=2&text=KEY\(after)").json
                ids += (page["jobs"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
                guard let next = page["next"] as? String else { break }
                after = "&after=\(next)"
            }
            #expect(ids == jobs.reversed().map(\.id.rawValue))
        }
    }

    @Test func `the ledger is backed up where the operator says, and nowhere else`() async throws {
        let house = try await APIHouse()
        try await house.record([.job(Sample.job(), maybeRepeated: false)])
        let path = house.scratch.file("backup.sqlite")
        let letter = house.scratch.file("letter.txt")
        try Data("Dear operator".utf8).write(to: URL(filePath: letter))
        try await house.with { client in
            func backUp(_ path: String) async throws -> APIReply {
                try await client.ask(.post, "/v1/ledger/backup", body: #"{"path": "\#(path)"}"#)
            }
            for path in [path, path] {
                let reply = try await backUp(path)
                #expect(reply.status == 200, "\(reply.text)")
                #expect(try (reply.json["size"] as? Int).map { $0 > 0 } == true)
                #expect(try reply.json["seconds"] is Double)
            }
            for path in [
                "backup.sqlite", "", "/", "/tmp/", #"/tmp/a\u0000b"#, "/" + String(repeating: "a", count: 4000),
            ] {
                let reply = try await backUp(path)
                #expect(reply.status == 400 && reply.problem == "invalid-request", "\(path)")
            }
            for path in [letter, house.scratch.file(), house.scratch.file("none/backup.sqlite")] {
                let reply = try await backUp(path)
                #expect(reply.status == 409 && reply.problem == "refused", "\(path): \(reply.text)")
            }
            #expect(try await client.ask(.post, "/v1/ledger/backup", body: "{}").status == 400)
            #expect(try await client.ask(.post, "/v1/ledger/backup", body: #"{"path": 1}"#).status == 400)
        }
        let copy = try Ledger.open(path: path)
        #expect(try await copy.counts() == [.queued: 1])
        #expect(try Data(contentsOf: URL(filePath: letter)) == Data("Dear operator".utf8))
    }

    @Test func `a job is shown with its history, and why it is not running`() async throws {
        let house = try await APIHouse()
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false), Sample.event(.handedOver, job, slice: 1)])
        house.operations.set([job.queue: [.normal: LaneDepth(messages: 1, consumers: 0)]])
        try await house.with { client in
            let story = try await client.ask(.get, "/v1/jobs/\(job.id)").json
            let explanation = try #require(story["explanation"] as? [String: Any])
            #expect(explanation["code"] as? String == "noWorker")
            let events = try #require(story["events"] as? [[String: Any]])
            #expect(events.last?["type"] as? String == "upload.handedOver")
            #expect(events.allSatisfy { $0["state"] == nil })
            let unknown = try await client.ask(.get, "/v1/jobs/\(JobID())")
            #expect(unknown.status == 404 && unknown.problem == "not-found")
            #expect(unknown.headers[.contentType] == "application/problem+json")
        }
    }

    @Test func `a verb that a job can obey is decided, any other is a conflict with the reason`() async throws {
        let house = try await APIHouse()
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false)])
        try await house.with { client in
            let cancel = try await client.ask(.post, "/v1/jobs/\(job.id)/cancel")
            #expect(cancel.status == 200)
            #expect(try cancel.json["isDecided"] as? Bool == true)
            let resume = try await client.ask(.post, "/v1/jobs/\(job.id)/resume")
            #expect(resume.status == 409 && resume.problem == "refused")
            #expect(try (resume.json["detail"] as? String)?.contains("being cancelled") == true)
            #expect(try await client.ask(.post, "/v1/jobs/\(JobID())/pause").status == 404)
            let later = try await client.ask(.post, "/v1/jobs/\(job.id)/cancel?wait=0")
            #expect(later.status == 202)
            #expect(try later.json["isDecided"] as? Bool == false)
        }
        #expect(house.operations.orders.allSatisfy { $0.by == "api" })
    }

    @Test func `an order by a filter does nothing when more match than it allows`() async throws {
        let house = try await APIHouse()
        try await house.record((0..<4).map { .job(Sample.job(key: "\($0)"), maybeRepeated: false) })
        try await house.with { client in
            let many = try await client.ask(
                .post, "/v1/orders", body: #"{"verb": "pause", "filter": {"queue": "default"}, "atMost": 3}"#)
            #expect(many.status == 409 && many.problem == "too-many-jobs")
            #expect(try many.json["matched"] as? Int == 4)
            let all = try await client.ask(
                .post, "/v1/orders", body: #"{"verb": "pause", "filter": {}, "atMost": 4}"#)
            #expect(all.status == 200)
            #expect(try all.json["done"] as? Int == 4)
        }
    }

    @Test(arguments: [
        #"{"verb": "cancel", "filter": {"destinaton": "photos"}, "atMost": 9}"#,
        #"{"verb": "cancel", "filter": {}}"#,
        #"{"verb": "cancel", "filter": {}, "atMost": 0}"#,
        #"{"verb": "cancel", "filter": [], "atMost": 1}"#,
        #"{"verb": "cancel", "jobs": []}"#,
        #"{"verb": "cancel", "jobs": ["x"]}"#,
        #"{"verb": "cancel", "jobs": 1e400}"#,
        #"{"verb": "stopQueue", "queues": ["default"]}"#,
        #"{"verb": "cancel"}"#, #"{"jobs": []}"#, "[]", "", "{", "\u{0}",
        String(repeating: "[", count: 5000),
    ])
    func `the API refuses an order that it cannot read, and does not pass it on`(body: String) async throws {
        let house = try await APIHouse()
        try await house.with { client in
            let reply = try await client.ask(.post, "/v1/orders", body: body)
            #expect(reply.status == 400 && reply.problem == "invalid-request", "\(reply.text)")
        }
        #expect(house.operations.orders.isEmpty)
    }

    @Test func `a body that is too large or of another type is refused`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            let large = try await client.ask(
                .post, "/v1/orders", body: String(repeating: " ", count: NotifierAPI.bodyBytesMaximum + 1))
            #expect(large.status == 413 && large.problem == "content-too-large")
            let other = try await client.ask(
                .post, "/v1/orders", headers: [.contentType: "text/plain"], body: #"{"verb": "cancel"}"#)
            #expect(other.status == 415 && other.problem == "unsupported-media-type")
        }
    }

    @Test(arguments: [
        "?status=none", "?limit=0", "?limit=x", "?limit=1&limit=2", "?quue=default", "?queue=A", "?since=now",
        "?text=ab", "?after=x", "?order=up", "?batch=", "?batch=%FF",
        "?batch=%00",
    ])
    func `a query that cannot be read is refused`(query: String) async throws {
        let house = try await APIHouse()
        try await house.with { client in
            let reply = try await client.ask(.get, "/v1/jobs\(query)")
            #expect(reply.status == 400 && reply.problem == "invalid-request", "\(query): \(reply.text)")
        }
    }

    @Test func `a page behind a job that is forgotten is not found`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            let reply = try await client.ask(.get, "/v1/jobs?after=019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90")
            #expect(reply.status == 404 && reply.problem == "not-found" && reply.text.contains("begin anew"))
        }
    }

    @Test func `an unknown path is a problem, and a wrong method is answered with the allowed ones`() async throws {
        let house = try await APIHouse()
        try await house.with { client in
            #expect(try await client.ask(.get, "/v1/nothing").problem == "not-found")
            let wrong = try await client.ask(.put, "/v1/dead-letters/1")
            #expect(wrong.status == 405 && wrong.problem == "method-not-allowed")
            #expect(wrong.headers[.allow] == "DELETE, GET")
        }
    }

    @Test func `queues show the facts of the ledger and the broker, and null while the broker is away`() async throws {
        let house = try await APIHouse()
        try await house.record([.job(Sample.job(), maybeRepeated: false)])
        let queue = QueueName.standard
        house.operations.set([
            queue: [.normal: LaneDepth(messages: 1, consumers: 2), .bulk: LaneDepth(messages: 0, consumers: 2)]
        ])
        try await house.with { client in
            #expect(try await client.ask(.post, "/v1/queues/\(queue)/stop").status == 200)
            let shown = try await client.ask(.get, "/v1/queues/\(queue)").json
            #expect(shown["isStopped"] as? Bool == true)
            #expect(shown["consumers"] as? Int == 2)
            #expect((shown["depth"] as? [String: Int])?["normal"] == 1)
            #expect((shown["jobs"] as? [String: Int])?["queued"] == 1)
            house.operations.fail(UploadError(.networkFailure, "the broker is away"))
            let away = try await client.ask(.get, "/v1/queues/\(queue)")
            #expect(away.status == 200)
            #expect(try away.json["depth"] is NSNull && away.json["isStopped"] is NSNull)
            let order = try await client.ask(.post, "/v1/queues/\(queue)/start")
            #expect(order.status == 503 && order.problem == "unavailable")
            #expect(order.headers[.retryAfter] != nil)
            house.operations.fail(nil)
            #expect(try await client.ask(.post, "/v1/queues/\(queue)/start").status == 200)
            #expect(try await client.ask(.get, "/v1/queues/\(queue)").json["isStopped"] as? Bool == false)
            #expect(try await client.ask(.get, "/v1/queues/none").status == 404)
        }
    }

    @Test func `dead letters are listed, shown without secrets, and discarded`() async throws {
        let house = try await APIHouse()
        let body = #"{"url": "https://host.example/a?X-Amz-Signature=hidden", "data": "aGVsbG8=", "note": "seen"}"#
        try await house.record([.unreadable(Data(body.utf8), reason: "no JSON")])
        try await house.with { client in
            let list = try await client.ask(.get, "/v1/dead-letters").json
            let letters = try #require(list["deadLetters"] as? [[String: Any]])
            let id = try #require(letters.first?["id"] as? Int)
            let shown = try await client.ask(.get, "/v1/dead-letters/\(id)")
            #expect(shown.text.contains("seen"))
            #expect(!shown.text.contains("hidden") && !shown.text.contains("aGVsbG8="))
            #expect(try await client.ask(.delete, "/v1/dead-letters/\(id)").status == 200)
            #expect(try await client.ask(.delete, "/v1/dead-letters/\(id)").status == 404)
            #expect(try await client.ask(.get, "/v1/dead-letters/x").status == 400)
        }
    }

    @Test func `destinations show limits, and the circuit that follows from waiting jobs`() async throws {
        let house = try await APIHouse()
        var job = Sample.job()
        job.destination = .named(DestinationName(unchecked: "photos"), key: "a")
        var event = UploadEvent(kind: .waiting, of: Baton(job: job), at: Sample.start)
        event.data.reason = "circuitOpen"
        event.data.waitingUntil = Sample.start.addingTimeInterval(60)
        try await house.record([.job(job, maybeRepeated: false), .event(event)])
        try await house.with { client in
            let list = try await client.ask(.get, "/v1/destinations").json
            let photos = try #require((list["destinations"] as? [[String: Any]])?.first)
            #expect(photos["driver"] as? String == "s3")
            #expect((photos["limits"] as? [String: Int]) == ["jobs": 8])
            #expect((photos["circuit"] as? [String: Any])?["state"] as? String == "open")
        }
    }

    @Test func `delegates are shown with their backlog, paused, resumed, tested, and replayed to`() async throws {
        let house = try await APIHouse()
        let job = Sample.job()
        try await house.record([.job(job, maybeRepeated: false), Sample.event(.failed, job)])
        try await house.with { client in
            let list = try await client.ask(.get, "/v1/delegates").json
            let hook = try #require((list["delegates"] as? [[String: Any]])?.first)
            #expect(hook["backlog"] as? Int == 1 && hook["isPaused"] as? Bool == false)
            let paused = try await client.ask(.post, "/v1/delegates/hook/pause").json
            #expect(paused["isPaused"] as? Bool == true)
            #expect(try await client.ask(.post, "/v1/delegates/hook/resume").json["isPaused"] as? Bool == false)
            #expect(try await client.ask(.post, "/v1/delegates/hook/test").json["error"] == nil)
            #expect(try await client.ask(.post, "/v1/delegates/none/pause").status == 404)
            let past = try await client.ask(.post, "/v1/delegates/hook/replay?to=1971-01-01T00:00:00Z")
            #expect(try past.json["count"] as? Int == 0)
            let reversed = "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z"
            #expect(
                try await client.ask(.post, "/v1/delegates/hook/replay?\(reversed)").json["count"] as? Int == 0)
            let deliveries = try await client.ask(.get, "/v1/deliveries?delegate=hook&status=waiting").json
            let delivery = try #require((deliveries["deliveries"] as? [[String: Any]])?.first)
            #expect(delivery["event"] as? String == "\(job.id).1.ended")
            let id = try #require(delivery["id"] as? Int)
            #expect(try await client.ask(.get, "/v1/deliveries/\(id)/attempts").json["attempts"] as? [Int] == [])
            #expect(try await client.ask(.post, "/v1/deliveries/\(id)/replay").json["count"] as? Int == 1)
            #expect(try await client.ask(.post, "/v1/deliveries/999/replay").status == 404)
        }
    }
}
