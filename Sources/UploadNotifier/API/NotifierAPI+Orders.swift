import Foundation
import Hummingbird
import Uploads
import UploadsAPI

/// Orders go to the notifier's queue, as those of `uploadctl` do, though this process could carry them out itself. So
/// the notifier reads them behind the messages that came before, they hold if another notifier takes over, and there is
/// one path for all orders.
extension NotifierAPI {
    static let verbs: [(path: String, verb: Verb)] = [
        ("cancel", .cancel), ("pause", .pause), ("resume", .resume), ("run", .runNow), ("run-again", .runAgain),
        ("discard", .discard), ("forget", .forget),
    ]

    private static let filterFields: Set = [
        "queue", "destination", "batch", "key", "text", "since", "until", "endedSince", "endedUntil", "error", "client",
        "statuses",
    ]

    var orderRoutes: [APIRoute] {
        Self.verbs.map { path, verb in
            APIRoute(.post, "/v1/jobs/{id}/\(path)", query: ["wait"], isOfQueues: true) { [self] in
                try await order(verb, $0)
            }
        } + [
            APIRoute(.post, "/v1/orders", query: ["wait"], isOfQueues: true) { [self] in try await order($0) }
        ]
    }

    private func order(_ verb: Verb, _ request: APIRequest) async throws -> APIAnswer {
        let id = try request.jobID()
        return try await obey(UploadOrder(.jobs(verb, [id]), by: request.caller.by(), at: clock.now()), of: id, request)
    }

    /// Gives an order about one job. If the job cannot obey, throws the reason as a problem.
    func obey(_ order: UploadOrder, of id: JobID, _ request: APIRequest) async throws -> APIAnswer {
        let answer = try await give(order, request)
        if let problem = Self.problem(of: answer) { throw problem }
        if let reason = answer?.jobs.first?.reason {
            guard try await ledger.job(id) != nil else { throw APIProblem.unknownJob(id) }
            throw APIProblem(.refused, reason)
        }
        return Self.answer(order, answer)
    }

    private func order(_ request: APIRequest) async throws -> APIAnswer {
        let (order, isDryRun) = try Self.order(in: request, at: clock.now())
        if isDryRun, case .matching(let verb, let filter, _) = order.command {
            let preview = try await ledger.preview(filter, for: verb, bounds: OrderPreview.Bounds())
            return .json(API.OrderAnswer(dryRunOf: order, preview))
        }
        let answer = try await give(order, request)
        if let problem = Self.problem(of: answer) { throw problem }
        if answer?.problem == .tooMany, let answer {
            var problem = APIProblem(
                .tooManyJobs, "\(answer.matched) jobs match and nothing was done; raise atMost or narrow the filter")
            problem.matched = answer.matched
            throw problem
        }
        return Self.answer(order, answer)
    }

    /// The problem for an order that the ledger could not carry out; nil for any other answer.
    private static func problem(of answer: OrderAnswer?) -> APIProblem? {
        guard let answer, answer.problem == .notRecorded else { return nil }
        return APIProblem(.failed, answer.reason ?? "the ledger cannot carry out the order; see the notifier's log")
    }

    static func answer(_ order: UploadOrder, _ answer: OrderAnswer?) -> APIAnswer {
        .json(API.OrderAnswer(order, answer), status: answer == nil ? .accepted : .ok)
    }

    func give(_ order: UploadOrder, _ request: APIRequest) async throws -> OrderAnswer? {
        let wait = try request.integer("wait", in: 0...30) ?? 10
        try await check(order.command, by: request.caller)
        return try await operations.order(order, patience: wait == 0 ? nil : .seconds(wait))
    }

    /// - Throws: `notAllowed` for an order about other jobs and queues than the caller may change.
    func check(_ command: UploadOrder.Command, by caller: APICaller) async throws {
        if command.isForgetting { try caller.check(.administer) }
        guard caller.queues != nil else { return }
        switch command {
        case .jobs(_, let ids), .move(let ids, _), .ask(let ids):
            for id in ids {
                if let job = try await ledger.job(id) { try caller.check(job.baton.job.queue) }
            }
        case .matching(_, let filter, _):
            guard let queue = filter.queue else { return try caller.checkWholePool() }
            try caller.check(queue)
        case .stopQueues(let queues), .startQueues(let queues): for queue in queues { try caller.check(queue) }
        case .drainWorkers, .resumeWorkers, .sweepDestination, .sweepStaging: try caller.checkWholePool()
        }
    }

    /// Reads an `upload.order.v1`; fills in `id` and `by` where they are missing, and `at`. Every field is checked: a
    /// filter with a mistyped name would match everything.
    ///
    /// `dryRun` asks how many jobs an order with a filter is about.
    static func order(
        in request: APIRequest, at time: Date
    ) throws(APIProblem) -> (order: UploadOrder, isDryRun: Bool) {
        var object = try request.object(["id", "verb", "jobs", "filter", "atMost", "by", "dryRun"])
        let isDryRun = object["dryRun"] == .bool(true)
        guard isDryRun || object["dryRun"] == nil || object["dryRun"] == .bool(false) else {
            throw .invalid("'dryRun' is true or false")
        }
        let hasDryRun = object.removeValue(forKey: "dryRun") != nil
        if case .object(let filter) = object["filter"] {
            try APIRequest.check(filter, filterFields, "'filter'")
            if isDryRun, object["atMost"] == nil { object["atMost"] = 1 }
            guard case .integer(let atMost) = object["atMost"], (1...1_000_000).contains(atMost) else {
                throw .invalid(
                    "an order with a filter has 'atMost', 1 to 1000000: if more jobs match, nothing is done")
            }
        } else if hasDryRun {
            throw .invalid("'dryRun' belongs to a filter")
        } else if object["atMost"] != nil {
            throw .invalid("'atMost' belongs to a filter")
        }
        guard case .string(let word) = object["verb"], Verb(rawValue: word) != nil else {
            throw .invalid("'verb' is one of \(Verb.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        object["id"] = object["id"] ?? .string(UUID().uuidString)
        if let by = object["by"], by.string == nil { throw .invalid("'by' is a text") }
        object["by"] = .string(request.caller.by(object["by"]?.string))
        object["at"] = .string(WireJSON.timestamp(time))
        do {
            let order = try WireJSON.decode(UploadOrder.self, from: try WireJSON.encode(JSONValue.object(object)))
            return (order, isDryRun)
        } catch let error as DecodingError {
            throw .invalid("the order cannot be read: \(error.problem.text)")
        } catch {
            throw .invalid("the order cannot be read")
        }
    }
}
