import Foundation
import Hummingbird
import Uploads

extension NotifierAPI {
    var deliveryRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/deliveries", query: ["delegate", "job", "status", "before", "limit"]) { [self] in
                .json(try await deliveries($0))
            },
            APIRoute(.get, "/v1/deliveries/{id}") { [self] in .json(try await delivery($0)) },
            APIRoute(.get, "/v1/deliveries/{id}/attempts") { [self] in
                .json(Attempts(attempts: try await history.attempts(of: $0.number("id")).map { AttemptView($0) }))
            },
            APIRoute(.post, "/v1/deliveries/{id}/replay") { [self] in
                let id = try $0.number("id")
                let count = try await delegates.service().replay(.one(id), in: history)
                guard count > 0 else { throw try await problem(ofReplaying: id) }
                return .json(Replayed(count: count))
            },
        ]
    }

    private static func unknownDelivery(_ id: Int64) -> APIProblem {
        APIProblem(.notFound, "there is no delivery \(id); /v1/deliveries lists them, and it may be forgotten")
    }

    private func problem(ofReplaying id: Int64) async throws -> APIProblem {
        guard let record = try await record(id) else { return Self.unknownDelivery(id) }
        return APIProblem(
            .refused, "job \(record.job) of delivery \(id) was forgotten: nothing is left that could be told once more")
    }

    private func record(_ id: Int64) async throws -> DeliveryRecord? {
        let next = id == .max ? id : id + 1
        return try await history.deliveries(DeliveryListing(before: next, limit: 1)).first.flatMap {
            $0.id == id ? $0 : nil
        }
    }

    private struct Story: Encodable {
        var delivery: DeliveryView
        var attempts: [AttemptView]
    }

    private func delivery(_ request: APIRequest) async throws -> Story {
        let id = try request.number("id")
        guard let record = try await record(id) else { throw Self.unknownDelivery(id) }
        return Story(
            delivery: DeliveryView(record), attempts: try await history.attempts(of: id).map { AttemptView($0) })
    }

    private struct Attempts: Encodable { var attempts: [AttemptView] }

    private struct Page: Encodable {
        var deliveries: [DeliveryView]
        /// `before` of the next page; null on the last.
        var next: Int64?

        private enum Key: String, CodingKey { case deliveries, next }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(deliveries, forKey: .deliveries)
            try container.encode(next, forKey: .next)
        }
    }

    private func deliveries(_ request: APIRequest) async throws -> Page {
        let limit = Int(try request.integer("limit", in: 1...Int64(DeliveryListing.limitMaximum)) ?? 100)
        let job = try request.text("job")
        if let job, JobID(job) == nil { throw APIProblem.invalid("the query's 'job' is a UUID") }
        let statuses = try request.words("status", DeliveryRecord.Status.self) ?? []
        guard statuses.count <= 1 else { throw APIProblem.invalid("the query's 'status' is one word") }
        let found = try await history.deliveries(
            DeliveryListing(
                delegate: try request.delegate(), job: job.flatMap { JobID($0) }, status: statuses.first,
                before: try request.integer("before", in: 0...Int64.max), limit: limit))
        return Page(
            deliveries: found.map { DeliveryView($0) }, next: found.count == limit ? found.last?.id : nil)
    }
}

/// A delivery as the API shows it.
struct DeliveryView: Encodable, Sendable {
    var id: Int64
    var delegate: String
    var event: String
    var job: String
    var status: DeliveryRecord.Status
    var attempts: Int
    var createdAt: Date
    var dueAt: Date?
    var deliveredAt: Date?
    var error: String?

    init(_ record: DeliveryRecord) {
        id = record.id
        delegate = record.delegate
        event = record.event
        job = record.job
        status = record.status
        attempts = record.attempts
        createdAt = record.createdAt
        dueAt = record.dueAt
        deliveredAt = record.deliveredAt
        error = record.error
    }
}

/// A try to deliver as the API shows it.
struct AttemptView: Encodable, Sendable {
    var at: Date
    var seconds: Double
    var status: Int?
    var answer: String?
    var error: String?

    init(_ attempt: DeliveryAttempt) {
        at = attempt.at
        seconds = attempt.seconds
        status = attempt.status
        answer = attempt.answer
        error = attempt.error
    }
}
