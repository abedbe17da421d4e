import Foundation
import Hummingbird
import Uploads
import UploadsAPI

/// Serial lines: their order, and orders that move a job.
extension NotifierAPI {
    var lineRoutes: [APIRoute] {
        [
            APIRoute(.post, "/v1/jobs/{id}/move", query: ["wait"], isOfQueues: true) { [self] request in
                let id = try request.jobID()
                let order = UploadOrder(
                    .move([id], try Self.target(request)), by: request.caller.by(), at: clock.now())
                return try await obey(order, of: id, request)
            }
        ]
    }

    func line(_ request: APIRequest) async throws -> API.Line {
        let name = try request.name("name")
        let limit = Int(try request.integer("limit", in: 1...Int64(LedgerFilter.limitMaximum)) ?? 100)
        let after = try request.integer("after", in: Int64.min...Int64.max)
        let page = try await ledger.line(of: name, after: after, limit: limit)
        if page.entries.isEmpty, after == nil {
            guard try await ledger.queues(throughputSince: clock.now()).contains(where: { $0.queue == name }) else {
                throw APIProblem(.notFound, "no job was ever enqueued in a queue '\(name)'; /v1/queues lists them")
            }
        }
        return API.Line(
            line: page.entries.map { API.LineEntry(position: $0.position, job: API.Job($0.job, on: progress)) },
            waiting: page.waiting, next: page.next)
    }

    private static func target(_ request: APIRequest) throws(APIProblem) -> LineTarget {
        let object = try request.object(["to", "before", "after"])
        guard object.count == 1, let (name, value) = object.first else {
            throw .invalid("the body has one of 'to', 'before' and 'after'")
        }
        if name == "to" {
            // An index beyond the end means the end.
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
