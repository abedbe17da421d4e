import Foundation
import Hummingbird
import Uploads
import UploadsAPI

/// Jobs of producers without AMQP. They take the same way as those of every other producer, so this process keeps
/// nothing of them: they are on the broker's disk before the answer.
extension NotifierAPI {
    /// How long the broker may take to confirm a job.
    static let enqueuePatience = Duration.seconds(10)

    var enqueueRoutes: [APIRoute] {
        [APIRoute(.post, "/v1/jobs", query: ["wait"], isOfQueues: true) { [self] in try await enqueue($0) }]
    }

    private func enqueue(_ request: APIRequest) async throws -> APIAnswer {
        let wait = try request.integer("wait", in: 0...30) ?? 10
        let key = try IdempotencyKey.of(request.headers)
        // A notifier need not know the destinations of the workers.
        let names = Set(destinations().compactMap { try? DestinationName($0.name) })
        let new = try NewJob(
            try request.object(as: ["application/json"]), key: key, at: clock.now(), among: names.isEmpty ? nil : names,
            keyedID: { operations.id(of: $0, in: $1) })
        let job = new.job
        try request.caller.check(job.queue)
        try Self.checkSize(of: job)
        if new.maybeRepeated, let known = try await ledger.job(job.id) {
            try Self.check(new, against: known)
            return .created(API.EnqueuedJob(known), at: "/v1/jobs/\(job.id)", isNew: false)
        }
        do throws(UploadError) {
            try await operations.enqueue(
                job, maybeRepeated: new.maybeRepeated, within: Self.enqueuePatience, trace: request.trace)
        } catch {
            throw Self.problem(error, enqueueing: job)
        }
        let known = wait == 0 ? nil : await recorded(job.id, within: .seconds(wait))
        // Another request may have used the key at the same time: the one that the ledger recorded first holds.
        if new.maybeRepeated, let known { try Self.check(new, against: known) }
        return .created(
            known.map { API.EnqueuedJob($0) } ?? API.EnqueuedJob(job), at: "/v1/jobs/\(job.id)")
    }

    private static func checkSize(of job: UploadJob) throws {
        let count = try WireJSON.encode(job).count
        do throws(UploadError) {
            try job.check(bodyBytes: count)
        } catch {
            throw APIProblem(.contentTooLarge, error.message)
        }
    }

    /// - Returns: nil if the ledger has not recorded the job in time. It is safe all the same.
    private func recorded(_ id: JobID, within patience: Duration) async -> LedgerJob? {
        // The notifier answers a question behind everything that was published before it.
        let question = UploadOrder(.ask([id]), by: "api", at: clock.now())
        _ = try? await operations.order(question, patience: patience)
        return try? await ledger.job(id)
    }

    private static func check(_ new: NewJob, against known: LedgerJob) throws(APIProblem) {
        let (id, key) = (new.job.id, new.job.idempotencyKey)
        switch new.verdict(on: known) {
        case .same: return
        case .forgotten:
            throw APIProblem(
                .refused,
                "job \(id), which had this \(key == nil ? "id" : "idempotency key"), was forgotten, and is not uploaded "
                    + "again; use another one")
        case .other:
            guard let key else {
                throw APIProblem(.refused, "job \(id) is for something else; leave 'id' out, or use another one")
            }
            throw APIProblem(
                .keyReused,
                "the idempotency key '\(key)' was used before, for job \(id), with another body; send that body again, or use "
                    + "another key")
        }
    }

    /// The problem of a job that the broker has not confirmed.
    static func problem(_ error: UploadError, enqueueing job: UploadJob) -> APIProblem {
        switch error.code {
        case .networkFailure, .serverFailure, .rateLimited, .interrupted:
            let again =
                job.idempotencyKey == nil
                ? "the same body and \"id\": \"\(job.id)\"" : "the same body and idempotency key"
            var problem = APIProblem(
                .unavailable,
                "\(error.message); whether the job has arrived or not, it is uploaded once if you send it again with \(again)"
            )
            problem.headers[.retryAfter] = "5"
            return problem
        default: return APIProblem(error)
        }
    }
}
