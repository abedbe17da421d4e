import Foundation
import Uploads

/// What a list of jobs shows, as the address of its page says it, and the order that means the same jobs.
struct DashboardJobFilter: Hashable, Sendable {
    /// The parameters, which are those of `GET /v1/jobs`. A time may be typed as ``PastMoment`` reads it.
    static let fields = [
        "text", "status", "queue", "destination", "batch", "client", "error", "since", "until", "endedSince",
        "endedUntil",
    ]
    private static let times: Set = ["since", "until", "endedSince", "endedUntil"]

    /// Values of ``fields`` as they were typed; those that were left empty are missing.
    let values: [String: String]

    init(_ query: [String: [String]]) {
        values = query.filter { Self.fields.contains($0.key) }.compactMapValues(\.first).filter { !$0.value.isEmpty }
    }

    init(_ values: [String: String]) { self.values = values }

    subscript(_ name: String) -> String { values[name] ?? "" }

    /// The query of the page's address.
    func query(_ more: [(String, String)] = []) -> String {
        DashboardText.query(Self.fields.compactMap { name in values[name].map { (name, $0) } } + more)
    }

    /// The same with exact times.
    /// - Throws: `invalidRequest` for a time that cannot be read.
    func exact(now: Date) throws(APIProblem) -> DashboardJobFilter {
        var exact = values
        for name in Self.times.sorted() {
            guard let text = values[name] else { continue }
            guard let time = PastMoment.read(text, now: now) else {
                throw .invalid("'\(text.prefix(40))' is no time; write 2h, 12:00, 2026-11-29 or 2026-11-29 12:00")
            }
            exact[name] = WireJSON.timestamp(time)
        }
        return DashboardJobFilter(exact)
    }

    /// The parameters as a request has them.
    var parameters: [String: [String]] { values.mapValues { [$0] } }

    /// An order's filter that means the jobs of the list as they are now: a job that is enqueued or ends later does not match.
    /// - Throws: `invalidRequest` for a value that cannot be read.
    func orderFilter(for verb: DashboardJobVerb, now: Date) throws(APIProblem) -> OrderFilter {
        var request = APIRequest()
        request.query = try exact(now: now).parameters
        var filter = OrderFilter(
            queue: try request.queue(), destination: try request.text("destination"), batch: try request.text("batch"))
        filter.statuses = try request.words("status", LedgerStatus.self).map { $0.intersection(verb.statuses) }
        filter.text = try request.text("text", countMaximum: LedgerFilter.textCountMaximum)
        if let text = filter.text, text.unicodeScalars.count < LedgerFilter.textCountMinimum {
            throw .invalid("a text has at least \(LedgerFilter.textCountMinimum) characters")
        }
        filter.client = try request.text("client")
        filter.code = try request.code("error")
        filter.enqueuedSince = try request.time("since")
        filter.enqueuedUntil = try request.time("until")
        filter.endedSince = try request.time("endedSince")
        filter.endedUntil = try request.time("endedUntil")
        if verb.concernsEnded {
            filter.endedUntil = min(filter.endedUntil ?? now, now)
        } else {
            filter.enqueuedUntil = min(filter.enqueuedUntil ?? now, now)
        }
        return filter
    }

    /// The filter in words, for a question: `failed jobs to photos`.
    var words: String {
        let names = [
            ("queue", "in queue"), ("destination", "to"), ("batch", "of batch"), ("client", "of app"),
            ("error", "with the error"), ("text", "with the text"), ("since", "enqueued since"),
            ("until", "enqueued before"), ("endedSince", "ended since"), ("endedUntil", "ended before"),
        ]
        let statuses = values["status"].map { $0.replacing(",", with: " or ") + " jobs" } ?? "jobs"
        return ([statuses] + names.compactMap { name, word in values[name].map { "\(word) \($0)" } })
            .joined(separator: " ")
    }
}
