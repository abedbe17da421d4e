import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    var failureRoutes: [APIRoute] {
        [APIRoute(.get, "/v1/failures", query: ["queue", "since"]) { [self] in .json(try await failures($0)) }]
    }

    private func failures(_ request: APIRequest) async throws -> API.FailureList {
        let groups = try await ledger.failureGroups(
            queue: try request.queue(), endedSince: try request.time("since"), limit: FailureGroup.limitMaximum)
        return API.FailureList(failures: groups.map { API.FailureGroup($0) })
    }
}
