import Foundation
import Hummingbird
import Uploads

/// Serial lines: who comes when, and who is to come sooner.
extension NotifierAPI {
    var lineRoutes: [APIRoute] {
        [
            APIRoute(.post, "/v1/jobs/{id}/move", query: ["wait"]) { [self] request in
                let id = try request.jobID()
                let order = UploadOrder(.move([id], try Self.target(request)), by: "api", at: clock.now())
                return try await obey(order, of: id, request)
            }
        ]
    }

    private struct Page: Encodable {
        struct Entry: Encodable {
            var position: Int?
            var job: JobView

            private enum Key: String, CodingKey { case position, job }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(position, forKey: .position)
                try container.encode(job, forKey: .job)
            }
        }

        var line: [Entry]
        var waiting: Int
        /// `after` of the next page; null on the last.
        var next: Int64?

        private enum Key: String, CodingKey { case line, waiting, next }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(line, forKey: .line)
            try container.encode(waiting, forKey: .waiting)
            try container.encode(next, forKey: .next)
        }
    }

    func line(_ request: APIRequest) async throws -> some Encodable & Sendable {
        let name = try request.name("name")
        let limit = Int(try request.integer("limit", in: 1...Int64(LedgerFilter.limitMaximum)) ?? 100)
        let after = try request.integer("after", in: Int64.min...Int64.max)
        let page = try await ledger.line(of: name, after: after, limit: limit)
        if page.entries.isEmpty, after == nil {
            guard try await ledger.queues(throughputSince: clock.now()).contains(where: { $0.queue == name }) else {
                throw APIProblem(.notFound, "no job was ever enqueued in a queue '\(name)'; /v1/queues lists them")
            }
        }
        return Page(
            line: page.entries.map { Page.Entry(position: $0.position, job: JobView($0.job, on: progress)) },
            waiting: page.waiting,
            next: page.next)
    }

    private static func target(_ request: APIRequest) throws(APIProblem) -> LineTarget {
        let object = try request.object(["to", "before", "after"])
        guard object.count == 1, let (name, value) = object.first else {
            throw .invalid("the body has one of 'to', 'before' and 'after'")
        }
        if name == "to" {
            // What is beyond the end is the end.
            guard let index = value.integer, index >= 0 else {
                throw .invalid("'to' is how many that wait in the line stay ahead, 0 or more")
            }
            return .index(Int(index))
        }
        guard let other = value.string.flatMap({ JobID($0) }) else {
            throw .invalid("'\(name)' is a job's id: a UUID such as 019a7d3e-0b6c-7c11-9a53-2f4f5c1b7a90")
        }
        return name == "before" ? .before(other) : .after(other)
    }
}
