import Foundation
import Uploads
import UploadsAPI

/// The page that asks before a verb is applied to all jobs of a list: how many they are, and some of them.
struct DashboardBulkPage: Sendable {
    /// The most jobs that one order from this page may concern.
    static let countMaximum = 1_000_000
    /// Jobs that are shown.
    static let sampleCount = 8

    let verb: DashboardJobVerb
    /// With exact times, as they were when the jobs were counted.
    let filter: DashboardJobFilter
    let preview: OrderPreview
    let sample: [API.Job]
    let viewer: DashboardViewer
    let at: Date

    static func path(_ verb: DashboardJobVerb, _ filter: DashboardJobFilter) -> String {
        "/dashboard/orders/\(verb.rawValue)?\(filter.query())"
    }

    private var jobs: String {
        let jobs = DashboardText.count(preview.matched, "job")
        return preview.mayBeMore ? "at least \(jobs)" : jobs
    }

    private var isEmpty: Bool { preview == OrderPreview(matched: 0) }

    private var back: String { "/dashboard/jobs?\(filter.query())" }

    var document: HTML {
        PageFrame.page(
            verb.label("jobs"), at: .jobs, for: viewer, updates: .none,
            """
            <section class="card job" aria-labelledby="heading-question"><div class="heading">\
            <h2 id="heading-question">\(verb.label(jobs))?</h2></div>
            <p class="why">These are all \(name: filter.words).</p>
            <p class="text">\(isEmpty ? "No job matches that can obey." : verb.consequence)</p>
            \(narrowing)\(answers)</section>
            \(examples)
            """)
    }

    /// Narrows a question about ended jobs to those that ended lately, and counts again.
    private var narrowing: HTML? {
        guard verb.concernsEnded else { return nil }
        let fields = DashboardJobFilter.fields.filter { $0 != "endedSince" }.compactMap { name in
            filter.values[name].map { HTML.hidden(name, [$0]) }
        }
        return """
            <form method="get" action="/dashboard/orders/\(verb.rawValue)" class="filters">\(fields)
            <label>Only those that ended since <input name="endedSince" type="search" value="\(filter["endedSince"])" \
            placeholder="12:00, 2h, 2026-11-29 (\(PastMoment.zone))"></label><button>Count again</button></form>
            """
    }

    private var answers: HTML {
        let fields = filter.values.sorted { $0.key < $1.key }.map { HTML.hidden($0.key, [$0.value]) }
        let most = preview.mayBeMore ? Self.countMaximum : preview.matched
        let go: HTML? =
            isEmpty
            ? nil
            : """
            <form method="post" action="/dashboard/orders/\(verb.rawValue)">\(fields)\(HTML.hidden("atMost", ["\(most)"]))\
            \(HTML.hidden("at", [WireJSON.timestamp(at)]))<button class="strong">\(verb.label(jobs))</button></form>
            """
        return "<div class=\"verbs\">\(go)<a href=\"\(back)\">Go back</a></div>"
    }

    private var examples: HTML? {
        guard !sample.isEmpty else { return nil }
        let all = (preview.mayBeMore ? "at least " : "") + DashboardText.count(preview.matched)
        let note = preview.mayBeMore || preview.matched > sample.count ? "\(sample.count) of \(all)" : ""
        return """
            <section class="card" aria-labelledby="heading-sample"><div class="heading"><h2 id="heading-sample">Among them</h2>\
            <p class="note">\(note)</p></div><ul class="rows">\(sample.map { DashboardJobList.row($0, at) })</ul></section>
            """
    }
}
