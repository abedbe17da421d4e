import Foundation
import Uploads
import UploadsAPI

/// The page of one delegate: whether it is behind, its last deliveries, and the buttons to test it and to deliver again.
struct DashboardDelegatePage: Sendable {
    /// Deliveries on a page.
    static let count = 25

    let delegate: API.Delegate
    /// The status of the listed deliveries; nil for all.
    let status: String?
    let deliveries: API.DeliveryPage
    let viewer: DashboardViewer
    let at: Date

    private var path: String { DashboardDelegates.path(delegate.name) }

    func document(notice: DashboardNotice?) -> HTML {
        PageFrame.page(
            delegate.name, at: .delegates, for: viewer, updates: .none, notice: notice,
            """
            <section class="card job" aria-labelledby="heading-delegate">
            <div class="heading"><h2 id="heading-delegate" class="title">\(name: delegate.name)</h2>\
            \(DashboardDelegates.badge(of: delegate))</div>
            <p class="why">\(summary)</p><div class="verbs">\(buttons)</div></section>
            <div class="columns"><div class="column">\(list)</div><div class="column">\(facts)</div></div>
            """)
    }

    private var summary: String {
        let waiting = "\(DashboardText.count(delegate.backlog, "outcome")) to deliver"
        let failed = delegate.failed > 0 ? ", \(DashboardText.count(delegate.failed)) given up" : ""
        let why = (delegate.problem ?? delegate.reason).map { ". \($0.prefix(1).uppercased())\($0.dropFirst())" } ?? ""
        return
            "\(delegate.backlog == 0 ? "Nothing" : waiting)\(delegate.backlog == 0 ? " is behind" : "")\(failed)\(why)."
    }

    private var buttons: [HTML] {
        guard delegate.isServed else { return [] }
        func button(_ verb: String, _ label: String, title: String) -> HTML? {
            viewer.button(label, title: title, path: ["delegates", delegate.name, verb], of: nil)
        }
        // Of those that wait, any may have failed before.
        let replay =
            delegate.failed > 0 || delegate.backlog > 0
            ? button("replay", "Deliver again what failed", title: "Deliver again what failed") : nil
        return [
            DashboardDelegates.toggle(delegate, viewer), replay,
            button("test", "Send a test", title: "Send an invented outcome to delegate \(delegate.name)"),
        ].compactMap(\.self)
    }

    private var list: HTML {
        let choices: [(String?, String)] = [
            (nil, "All"), ("waiting", "Waiting"), ("failed", "Given up"), ("delivered", "Delivered"),
        ]
        let links = choices.map { value, label -> HTML in
            let query = value.map { "?status=\($0)" } ?? ""
            return
                "<li><a href=\"\(path)\(query)\"\(value == status ? HTML(" aria-current=\"true\"") : nil)>\(label)</a></li>"
        }
        let older: HTML? = deliveries.next.map { next in
            let query = DashboardText.query((status.map { [("status", $0)] } ?? []) + [("before", "\(next)")])
            return "<p class=\"more\"><a href=\"\(path)?\(query)\">Older deliveries</a></p>"
        }
        return """
            <section class="card" aria-labelledby="heading-deliveries"><div class="heading">\
            <h2 id="heading-deliveries">Deliveries</h2><p class="note">the newest first</p></div>
            <ul class="choices">\(links)</ul>
            \(deliveries.deliveries.isEmpty ? DashboardPage.empty("There are none.") : nil)
            <ul class="rows">\(deliveries.deliveries.map { row($0) })</ul>\(older)</section>
            """
    }

    private func row(_ delivery: API.Delivery) -> HTML {
        let error: HTML? = delivery.error.map { "<p class=\"reason\">\(name: $0)</p>" }
        let due: HTML? = delivery.dueAt.map { "<span>next \(DashboardText.time($0, now: at))</span>" }
        let tries: HTML? =
            delivery.attempts > 0 ? "<span>\(DashboardText.count(delivery.attempts, "failed attempt"))</span>" : nil
        return """
            <li><p class="line"><a class="title" href="/dashboard/deliveries/\(delivery.id)">\(name: delivery.event)</a>\
            <span class="figure">\(DashboardDeliveryPage.badge(of: delivery))</span></p>\(error)
            <p class="facts"><span>\(DashboardText.time(delivery.deliveredAt ?? delivery.createdAt, now: at))</span>\(tries)\(due)\
            <span><a href="/dashboard/jobs/\(delivery.job)">the job</a></span></p></li>
            """
    }

    private var facts: HTML {
        func list(_ values: [String]) -> HTML? { values.isEmpty ? nil : "\(name: values.joined(separator: ", "))" }
        let pairs: [(String, HTML?)] = [
            ("Kind", "\(delegate.kind)"), ("Target", delegate.target.map { "\(name: $0)" }),
            ("Kept in", "the \(delegate.origin)"), ("Outcomes", list(delegate.types)),
            ("Queues", list(delegate.queues)),
            ("Destinations", list(delegate.destinations)), ("Batches", list(delegate.batches)),
            ("App", delegate.client.map { "\(name: $0)" }),
            ("Order", delegate.ordered ? "one job's outcomes one after the other" : nil),
            ("At once", delegate.concurrency.map { "\($0)" }), ("Signed", delegate.hasSecret ? "yes" : nil),
            ("Paused since", delegate.pausedSince.map { DashboardText.time($0, now: at) }),
        ]
        return PageFrame.facts("The delegate", pairs)
    }
}
