import Foundation
import Hummingbird
import Uploads
import UploadsAPI

extension NotifierAPI {
    var jobRoutes: [APIRoute] {
        [
            APIRoute(
                .get, "/v1/jobs",
                query: [
                    "status", "queue", "destination", "batch", "key", "text", "since", "until", "endedSince",
                    "endedUntil", "error", "client", "order", "after", "limit",
                ]
            ) { [self] in .json(try await jobs($0, limit: 100)) },
            APIRoute(.get, "/v1/jobs/{id}") { [self] in .json(try await story(of: try $0.jobID())) },
        ]
    }

    /// - Parameter limit: the most jobs where the query does not say it.
    func jobs(_ request: APIRequest, limit: Int) async throws -> API.JobPage {
        let limit = Int(try request.integer("limit", in: 1...Int64(LedgerFilter.limitMaximum)) ?? Int64(limit))
        var filter = LedgerFilter(
            statuses: try request.words("status", LedgerStatus.self), queue: try request.queue(),
            destination: try request.text("destination"), order: try order(of: request), limit: limit)
        filter.batch = try request.text("batch")
        filter.idempotencyKey = try request.text("key")
        filter.text = try request.text("text", countMaximum: LedgerFilter.textCountMaximum)
        if let text = filter.text, text.unicodeScalars.count < LedgerFilter.textCountMinimum {
            throw APIProblem.invalid("the query's 'text' has at least \(LedgerFilter.textCountMinimum) characters")
        }
        filter.enqueuedSince = try request.time("since")
        filter.enqueuedUntil = try request.time("until")
        filter.endedSince = try request.time("endedSince")
        filter.endedUntil = try request.time("endedUntil")
        filter.code = try request.code("error")
        filter.client = try request.text("client")
        if let after = try request.text("after") {
            guard let id = JobID(after) else { throw APIProblem.invalid("the query's 'after' is a job's id") }
            guard try await ledger.job(id) != nil else {
                throw APIProblem(
                    .notFound,
                    "the query's 'after' is the 'next' of another page, whose job is still known; begin anew")
            }
            filter.after = id
        }
        let found = try await ledger.jobs(filter)
        return API.JobPage(jobs: found.jobs.map { API.Job($0, on: progress) }, next: found.next?.rawValue)
    }

    private func order(of request: APIRequest) throws -> LedgerFilter.Order {
        let words = try request.words("order", LedgerFilter.Order.self) ?? [.newestFirst]
        guard words.count == 1, let word = words.first else {
            throw APIProblem.invalid("the query's 'order' is newestFirst or oldestFirst")
        }
        return word
    }

    func story(of id: JobID) async throws -> API.JobStory {
        guard let job = try await ledger.job(id) else { throw APIProblem.unknownJob(id) }
        let events = try await ledger.events(of: id).map { API.Event($0, sequence: nil) }
        let deliveries = try await history.deliveries(DeliveryListing(job: id, limit: DeliveryListing.limitMaximum))
            .map { API.Delivery($0) }
        let place = job.line == nil ? nil : try await ledger.place(of: id)
        return API.JobStory(
            job: API.Job(job, on: progress), line: place.map { API.LinePlace($0, queue: job.baton.job.queue) },
            explanation: API.Explanation(await explain(job, place)),
            worker: job.end == nil ? progress.worker(running: id) : nil, events: events,
            orders: job.orders.map { API.JobOrder($0) },
            deliveries: deliveries)
    }

    /// Asks the broker only about a job that has not ended; while the broker is away, explains the job from the ledger
    /// alone.
    private func explain(_ job: LedgerJob, _ place: LinePlace?) async -> JobExplanation {
        guard job.end == nil else { return JobExplanation(of: job, control: nil, lanes: nil) }
        let queue = job.baton.job.queue
        let control = try? await operations.controlView()
        let lanes = (try? await operations.depths(of: [queue])).map { $0[queue] ?? [:] }
        return JobExplanation(
            of: job, control: control, lanes: lanes, place: place,
            reports: progress.reports(at: job.baton.job.destination.label), worker: progress.worker(running: job.id))
    }
}
