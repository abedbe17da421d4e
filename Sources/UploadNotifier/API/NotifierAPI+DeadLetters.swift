import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    var deadLetterRoutes: [APIRoute] {
        let filter: Set = ["status", "type", "reason", "since", "until", "before", "limit"]
        return [
            APIRoute(.get, "/v1/dead-letters", query: filter) { [self] in .json(try await deadLetters($0)) },
            APIRoute(.get, "/v1/dead-letters/{id}") { [self] in .json(try await deadLetter($0)) },
            APIRoute(.delete, "/v1/dead-letters/{id}") { [self] in
                .json(API.Discarded(discarded: try await discardLetter($0)))
            },
        ] + replayRoutes
    }

    func discardLetter(_ request: APIRequest) async throws -> Int64 {
        let id = try request.number("id")
        return try await audited("dead.discard", "dead letter \(id)", request) {
            guard try await ledger.discardUnreadable(id) else { throw Self.unknownLetter(id) }
            return id
        }
    }

    static func unknownLetter(_ id: Int64) -> APIProblem {
        APIProblem(.notFound, "there is no dead letter \(id); /v1/dead-letters lists them")
    }

    func deadLetters(_ request: APIRequest) async throws -> API.DeadLetterPage {
        let limit = Int(try request.integer("limit", in: 1...Int64(DeadLetterListing.limitMaximum)) ?? 20)
        let words = try request.words("status", DeadLetterStatus.self)
        var listing = DeadLetterListing(
            before: try request.integer("before", in: 0...Int64.max), type: try request.text("type"),
            reason: try request.text("reason"), since: try request.time("since"), until: try request.time("until"),
            limit: limit)
        listing.isReplayed = words.flatMap { $0.count == 1 ? $0.first == .replayed : nil }
        let found = try await ledger.unreadable(listing)
        return API.DeadLetterPage(
            deadLetters: found.map { API.DeadLetter($0, shown: 0) }, next: found.count == limit ? found.last?.id : nil)
    }

    func deadLetter(_ request: APIRequest) async throws -> API.DeadLetter {
        let id = try request.number("id")
        guard let letter = try await ledger.unreadable(id) else { throw Self.unknownLetter(id) }
        return API.DeadLetter(letter, shown: API.DeadLetter.bodyCountMaximum)
    }
}
