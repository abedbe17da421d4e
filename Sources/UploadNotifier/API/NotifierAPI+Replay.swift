import Foundation
import Hummingbird
import Logging
import Uploads
import UploadsAPI

/// Publishes dead letters again. A letter is recorded as replayed only after the broker's confirm: a crash in between
/// leaves it waiting, and publishing it twice does no harm.
extension NotifierAPI {
    /// The most dead letters that one request publishes again.
    static let replaysMaximum = 1000
    /// Seconds that a request for many may take: 60.
    private static let replaySecondsMaximum = 60.0

    var replayRoutes: [APIRoute] {
        [
            APIRoute(.post, "/v1/dead-letters/{id}/replay") { [self] request in
                let given = try Self.author(request.body.isEmpty ? [:] : request.object(["by"]))
                return .json(try await replayLetter(request, as: given))
            },
            APIRoute(.post, "/v1/dead-letters/replay", secondsMaximum: Self.replaySecondsMaximum) { [self] in
                .json(try await replayMany($0))
            },
        ]
    }

    /// - Parameter given: the name that the caller gives itself.
    func replayLetter(_ request: APIRequest, as given: String? = nil) async throws -> API.DeadLetterReplay {
        let id = try request.number("id")
        return try await audited("dead.replay", "dead letter \(id)", request, as: given) {
            try await replay(id, by: request.caller.by(given))
        }
    }

    private func replay(_ id: Int64, by: String) async throws -> API.DeadLetterReplay {
        guard let letter = try await ledger.unreadable(id) else { throw Self.unknownLetter(id) }
        if let time = letter.replayedAt {
            throw APIProblem(
                .refused,
                "dead letter \(id) was published again at \(WireJSON.timestamp(time)) by \(letter.replayedBy ?? "");"
                    + " if it came back unread, it is a dead letter of its own with replayOf \(id)")
        }
        if let why = try await letter.obstacle(in: ledger) { throw APIProblem(.refused, why) }
        let place = try await operations.replay(letter)
        let time = clock.now()
        _ = try await ledger.noteReplayed(id, at: time, by: by)
        logger.notice("a dead letter is published again", metadata: [LogKey.by: "\(by)", LogKey.letter: "\(id)"])
        return API.DeadLetterReplay(id: id, done: true, to: place, at: time, by: by)
    }

    private func replayMany(_ request: APIRequest) async throws -> API.DeadLetterReplays {
        let object = try request.object(["ids", "filter", "atMost", "by"])
        let given = try Self.author(object)
        let ids = try await letters(of: object)
        return try await audited("dead.replay", "\(ids.count) dead letters", request, as: given) {
            try await replay(ids, by: request.caller.by(given))
        }
    }

    private func replay(_ ids: [Int64], by: String) async throws -> API.DeadLetterReplays {
        var replays: [API.DeadLetterReplay] = []
        var failure: String?
        for id in ids {
            do {
                if let failure { throw APIProblem(.unavailable, failure) }
                replays.append(try await replay(id, by: by))
            } catch let error as UploadError where error.code != .rejected {
                // An error that stops one letter stops all that follow; the answer still lists those that were
                // published.
                guard !replays.isEmpty else { throw error }
                failure = error.message
                replays.append(API.DeadLetterReplay(id: id, done: false, reason: error.message))
            } catch {
                let reason = (error as? APIProblem)?.detail ?? (error as? UploadError)?.message
                guard let reason else { throw error }
                replays.append(API.DeadLetterReplay(id: id, done: false, reason: reason))
            }
        }
        return API.DeadLetterReplays(
            matched: ids.count, done: replays.count(where: \.done), deadLetters: replays)
    }

    /// The letters that the request names, or those that match its filter and wait, the oldest first.
    private func letters(of object: [String: JSONValue]) async throws -> [Int64] {
        if let named = object["ids"] {
            guard object["filter"] == nil, object["atMost"] == nil else {
                throw APIProblem.invalid("'ids' and 'filter': name dead letters one way or the other")
            }
            guard case .array(let values) = named, (1...Self.replaysMaximum).contains(values.count) else {
                throw APIProblem.invalid("'ids' is a list of 1 to \(Self.replaysMaximum) numbers of dead letters")
            }
            let ids = try values.map { value throws(APIProblem) in
                guard let id = value.integer, id >= 0 else {
                    throw APIProblem.invalid("'ids' has something that is no number from 0")
                }
                return id
            }
            guard Set(ids).count == ids.count else { throw APIProblem.invalid("'ids' names one more than once") }
            return ids
        }
        guard case .object(let filter)? = object["filter"] else {
            throw APIProblem.invalid("the body has 'ids', or a 'filter' (which may be empty) with 'atMost'")
        }
        guard let atMost = object["atMost"]?.integer, (1...Int64(Self.replaysMaximum)).contains(atMost) else {
            throw APIProblem.invalid(
                "a filter has 'atMost', 1 to \(Self.replaysMaximum): if more match, nothing is done")
        }
        var listing = try Self.listing(filter)
        let count = try await ledger.unreadableCount(listing)
        guard count <= atMost else {
            var problem = APIProblem(
                .tooManyLetters,
                "\(count) dead letters match and nothing was done; raise atMost (to \(Self.replaysMaximum) at most) or "
                    + "narrow the filter")
            problem.matched = count
            throw problem
        }
        var ids: [Int64] = []
        while true {
            let page = try await ledger.unreadable(listing)
            ids += page.map(\.id)
            guard page.count == listing.limit, let last = page.last else { break }
            listing.before = last.id
        }
        // Letters that came after the count were not asked for.
        return Array(ids.reversed().prefix(Int(atMost)))
    }

    private static func listing(_ filter: [String: JSONValue]) throws(APIProblem) -> DeadLetterListing {
        try APIRequest.check(filter, ["type", "reason", "since", "until"], "'filter'")
        func text(_ name: String) throws(APIProblem) -> String? {
            guard let value = filter[name] else { return nil }
            guard let text = value.string, !text.isEmpty, text.unicodeScalars.count <= 1024,
                !text.unicodeScalars.contains(where: { $0.value < 0x20 })
            else { throw .invalid("the filter's '\(name)' is 1 to 1024 characters, without control characters") }
            return text
        }
        func time(_ name: String) throws(APIProblem) -> Date? {
            guard let value = filter[name] else { return nil }
            guard let time = value.string.flatMap({ WireJSON.date($0) }) else {
                throw .invalid("the filter's '\(name)' is an RFC 3339 time such as 2026-11-21T08:00:00Z")
            }
            return time
        }
        return DeadLetterListing(
            isReplayed: false, type: try text("type"), reason: try text("reason"), since: try time("since"),
            until: try time("until"))
    }

    /// The name that the caller gives itself.
    private static func author(_ object: [String: JSONValue]) throws(APIProblem) -> String? {
        guard let by = object["by"] else { return nil }
        guard let text = by.string, !text.isEmpty, text.unicodeScalars.count <= UnreadableMessage.byCountMaximum else {
            throw .invalid("'by' is 1 to \(UnreadableMessage.byCountMaximum) characters")
        }
        return text
    }
}

extension UnreadableMessage {
    /// Why the rules of the baton would drop the message, so that publishing it is of no use; nil if they would not.
    fileprivate func obstacle(in ledger: any LedgerQueries) async throws(UploadError) -> String? {
        let words = (envelope?.type ?? "").split(separator: ".")
        guard words.count == 3, words[0] == "upload", ["job", "baton"].contains(words[1]) else { return nil }
        let told = try? WireJSON.decode(JSONValue.self, from: body)
        let text = envelope?.messageID ?? told?["job"]?["id"]?.string ?? told?["id"]?.string
        guard let id = text.flatMap({ JobID($0) }), let known = try await ledger.job(id) else { return nil }
        let round = told?["round"]?.integer ?? 1
        guard round <= known.round else { return nil }
        let what = "dead letter \(self.id) is of job \(id), which"
        if let end = known.end {
            return
                "\(what) has ended as \(end.kind.rawValue): published again it would be dropped; 'run again' begins a "
                + "new round of the job (uploadctl run --again \(id)), then discard this"
        }
        // An order without a baton is of the first generation.
        let generation = told?["generation"]?.integer ?? 1
        guard round < known.round || generation < known.generation else { return nil }
        return "\(what) was issued anew since and is \(known.status.rawValue): published again this would be dropped; "
            + "discard it"
    }
}
