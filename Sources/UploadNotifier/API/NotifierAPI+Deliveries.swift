import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    var deliveryRoutes: [APIRoute] {
        [
            APIRoute(.get, "/v1/deliveries", query: ["delegate", "job", "status", "before", "limit"]) { [self] in
                .json(try await deliveries($0))
            },
            APIRoute(.get, "/v1/deliveries/{id}") { [self] in .json(try await delivery($0)) },
            APIRoute(.get, "/v1/deliveries/{id}/attempts") { [self] in
                .json(API.AttemptList(attempts: try await attempts(of: try $0.number("id"))))
            },
            APIRoute(.post, "/v1/deliveries/{id}/replay") { [self] in
                .json(API.Replayed(count: try await replayDelivery($0)))
            },
        ]
    }

    func replayDelivery(_ request: APIRequest) async throws -> Int {
        let id = try request.number("id")
        return try await audited("delivery.replay", "delivery \(id)", request) {
            let count = try await delegates.service().replay(.one(id), in: history)
            guard count > 0 else { throw try await problem(ofReplaying: id) }
            return count
        }
    }

    private static func unknownDelivery(_ id: Int64) -> APIProblem {
        APIProblem(.notFound, "there is no delivery \(id); /v1/deliveries lists them, and it may be forgotten")
    }

    private func problem(ofReplaying id: Int64) async throws -> APIProblem {
        guard let record = try await record(id) else { return Self.unknownDelivery(id) }
        return APIProblem(
            .refused,
            "job \(record.job) of delivery \(id) was forgotten: nothing is left that could be delivered once more")
    }

    private func record(_ id: Int64) async throws -> DeliveryRecord? {
        let next = id == .max ? id : id + 1
        return try await history.deliveries(DeliveryListing(before: next, limit: 1)).first.flatMap {
            $0.id == id ? $0 : nil
        }
    }

    private func attempts(of id: Int64) async throws -> [API.Attempt] {
        try await history.attempts(of: id).map { API.Attempt($0) }
    }

    func delivery(_ request: APIRequest) async throws -> API.DeliveryStory {
        let id = try request.number("id")
        guard let record = try await record(id) else { throw Self.unknownDelivery(id) }
        return API.DeliveryStory(delivery: API.Delivery(record), attempts: try await attempts(of: id))
    }

    func deliveries(_ request: APIRequest) async throws -> API.DeliveryPage {
        let limit = Int(try request.integer("limit", in: 1...Int64(DeliveryListing.limitMaximum)) ?? 100)
        let job = try request.text("job")
        if let job, JobID(job) == nil { throw APIProblem.invalid("the query's 'job' is a UUID") }
        let statuses = try request.words("status", DeliveryRecord.Status.self) ?? []
        guard statuses.count <= 1 else { throw APIProblem.invalid("the query's 'status' is one word") }
        let found = try await history.deliveries(
            DeliveryListing(
                delegate: try request.delegate(), job: job.flatMap { JobID($0) }, status: statuses.first,
                before: try request.integer("before", in: 0...Int64.max), limit: limit))
        return API.DeliveryPage(
            deliveries: found.map { API.Delivery($0) }, next: found.count == limit ? found.last?.id : nil)
    }
}
