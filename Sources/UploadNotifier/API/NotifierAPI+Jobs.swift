import Foundation
import Hummingbird
import Uploads

extension NotifierAPI {
    var jobRoutes: [APIRoute] {
        [
            APIRoute(
                .get, "/v1/jobs",
                query: [
                    "status", "queue", "destination", "batch", "key", "text", "since", "until", "order", "after",
                    "limit",
                ]
            ) { [self] in .json(try await jobs($0)) },
            APIRoute(.get, "/v1/jobs/{id}") { [self] in .json(try await job($0)) },
        ]
    }

    private struct Page: Encodable {
        var jobs: [JobView]
        /// `after` of the next page; null on the last.
        var next: String?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(jobs, forKey: .jobs)
            try container.encode(next, forKey: .next)
        }

        private enum Key: String, CodingKey { case jobs, next }
    }

    private func jobs(_ request: APIRequest) async throws -> Page {
        let limit = Int(try request.integer("limit", in: 1...Int64(LedgerFilter.limitMaximum)) ?? 100)
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
        if let after = try request.text("after") {
            guard let id = JobID(after), try await ledger.job(id) != nil else {
                throw APIProblem.invalid(
                    "the query's 'after' is the 'next' of another page, whose job is still known; begin anew")
            }
            filter.after = id
        }
        let found = try await ledger.jobs(filter)
        return Page(jobs: found.jobs.map { JobView($0, on: progress) }, next: found.next?.rawValue)
    }

    private func order(of request: APIRequest) throws -> LedgerFilter.Order {
        let words = try request.words("order", LedgerFilter.Order.self) ?? [.newestFirst]
        guard words.count == 1, let word = words.first else {
            throw APIProblem.invalid("the query's 'order' is newestFirst or oldestFirst")
        }
        return word
    }

    private struct Story: Encodable {
        var job: JobView
        var line: LinePlaceView?
        var explanation: JobExplanation
        var events: [EventView]
        var deliveries: [DeliveryView]
    }

    private func job(_ request: APIRequest) async throws -> Story {
        let id = try request.jobID()
        guard let job = try await ledger.job(id) else { throw APIProblem.unknownJob(id) }
        let events = try await ledger.events(of: id).map { EventView($0, sequence: nil) }
        let deliveries = try await history.deliveries(DeliveryListing(job: id, limit: DeliveryListing.limitMaximum))
            .map { DeliveryView($0) }
        let place = job.line == nil ? nil : try await ledger.place(of: id)
        return Story(
            job: JobView(job, on: progress), line: place.map { LinePlaceView($0, queue: job.baton.job.queue) },
            explanation: await explain(job, place), events: events, deliveries: deliveries)
    }

    /// The broker is asked only where it matters; if it is away, the ledger alone says what it can.
    private func explain(_ job: LedgerJob, _ place: LinePlace?) async -> JobExplanation {
        guard job.end == nil else { return JobExplanation(of: job, control: nil, lanes: nil) }
        let queue = job.baton.job.queue
        let control = try? await operations.controlView()
        let lanes = (try? await operations.depths(of: [queue])).map { $0[queue] ?? [:] }
        return JobExplanation(
            of: job, control: control, lanes: lanes, place: place,
            reports: progress.reports(at: job.baton.job.destination.label))
    }
}

/// A job's place in the serial line of its queue, as the API shows it.
struct LinePlaceView: Encodable, Sendable {
    var queue: QueueName
    /// How many that wait are ahead of it; left out once it is on its way.
    var position: Int?
    var waiting: Int
    var behind: JobID?
    var holder: JobID?
    var holderStatus: LedgerStatus?

    init(_ place: LinePlace, queue: QueueName) {
        self.queue = queue
        position = place.position
        waiting = place.waiting
        behind = place.behind
        holder = place.holder
        holderStatus = place.holderStatus
    }
}
