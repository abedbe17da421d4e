import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    var historyRoutes: [APIRoute] {
        [APIRoute(.get, "/v1/history", query: ["period", "queue"]) { [self] in .json(try await history($0)) }]
    }

    func history(_ request: APIRequest) async throws -> API.History {
        let words = try request.words("period", HistoryPeriod.self) ?? [.day]
        guard words.count == 1, let period = words.first else {
            throw APIProblem.invalid("the query's 'period' is hour, day, week or month")
        }
        let starts = period.starts(now: clock.now())
        let from = starts[0]
        let until = starts[starts.count - 1] + Double(period.bucketSeconds)
        let found = try await ledger.history(
            from: from, until: until, bucketSeconds: period.bucketSeconds, queue: try request.queue())
        let known = Dictionary(found.map { ($0.start, $0) }, uniquingKeysWith: { first, _ in first })
        return API.History(
            period: period.rawValue, from: from, until: until, bucketSeconds: period.bucketSeconds,
            buckets: starts.map { API.HistoryBucket(known[$0] ?? HistoryBucket(start: $0)) })
    }
}
